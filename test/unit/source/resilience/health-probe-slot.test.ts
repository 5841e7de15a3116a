import { sourceSchema } from '../../../../src/config/schema/source.ts';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import { type CheckableUpstream, createUpstream } from '../../../../src/source/client/client.ts';
import {
  type ScriptedUpstream,
  serving,
  startUpstream,
} from '../../../support/upstream/scripted-upstream.ts';

let service: ScriptedUpstream;
let upstream: CheckableUpstream;
const leaving = new AbortController();
afterEach(async () => {
  upstream.close();
  await service.close();
});

/** A source that hangs at `/hangs`, with one slot that such a call has taken, and one more that waits. */
async function open(status: number | undefined, takeToken?: () => number) {
  service = await startUpstream(
    serving(({ path }) => (path === '/hangs' || status === undefined ? undefined : { status, body: {} })),
  );
  const spec = sourceSchema.parse({
    ...{ source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {} },
    net: { baseUrl: service.origin, concurrency: 1, queue: { max: 1 } },
  });
  const requestOf = (target: string) => ({
    ...({ method: 'GET', target, headers: {}, body: undefined } as const),
  });
  upstream = createUpstream(spec, {
    ...{ onExchange: () => undefined, takeToken },
    healthProbe: {
      request: requestOf('/first'),
      read: (reply) => {
        if (reply.status >= 400) throw fault('upstream_error');
      },
    },
  });
  const { signal } = leaving;
  const hang = () =>
    upstream
      .ask(requestOf('/hangs'), () => 0, signal, { upstreamCalls: 0, upstreamMs: 0 })
      .catch(() => undefined);
  void hang();
  await service.requested(1);
  void hang();
}

describe('the health probe', () => {
  it.each([
    [200, true],
    [500, false],
  ])('is sent while all slots are taken and calls wait: %i is %s', async (status, isHealthy) => {
    await open(status);
    expect(upstream.load).toMatchObject({ active: 1, waiting: 1 });
    expect(await upstream.askHealthProbe(service.origin, 60_000)).toBe(isHealthy);
  });

  it('fails if no answer comes within its time', async () => {
    await open(undefined);
    expect(await upstream.askHealthProbe(service.origin, 20)).toBe(false);
  });

  it('waits for a token where the rate is limited, which is no part of its time', async () => {
    const waits = [0, 30, 0];
    await open(200, () => waits.shift() ?? 0);
    expect(await upstream.askHealthProbe(service.origin, 60_000)).toBe(true);
    expect(waits).toEqual([]);
  });
});
