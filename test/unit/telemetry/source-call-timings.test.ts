import { sourceSchema } from '../../../src/config/schema/source.ts';
import { RequestTimings } from '../../../src/telemetry/requests/request-timings.ts';
import { createUpstream } from '../../../src/source/client/client.ts';
import { createResilience } from '../../../src/source/resilience/resilience.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type ScriptedUpstream, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { holding } from '../../support/upstream/scripts.ts';

let service: ScriptedUpstream | undefined;
const opened: { close(): void }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) one.close();
  await service?.close();
});

function open(net: object, auth: object = { kind: 'none' }) {
  const spec = sourceSchema.parse({
    ...{ source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {} },
    net: { baseUrl: service!.origin, ...net },
    auth,
  });
  const resilience = createResilience(spec.net, {
    monotonic: () => systemClock.monotonic(),
    random: () => 0.5,
    ...{ deadlineMs: 60_000, patienceMs: 60_000 },
    on: {
      breaker: () => undefined,
      question: () => undefined,
      retry: () => undefined,
      paused: () => undefined,
      host: () => undefined,
    },
  });
  const upstream = createUpstream(spec, {
    onExchange: () => undefined,
    resilience,
  });
  opened.push(upstream);
  return function ask(timings: RequestTimings | undefined) {
    const usage = { upstreamCalls: 0, upstreamMs: 0, timings };
    const request = { method: 'GET', target: '/x?secret=1', headers: {}, body: undefined } as const;
    return upstream.ask(request, ({ status }) => status, new AbortController().signal, usage);
  };
}

const namesOf = (timings: RequestTimings) => timings.list().map(({ name }) => name);

describe('the step times of a call to a source', () => {
  it('are the wait for a slot, the exchange and the reading of its reply; a call without a wait has none', async () => {
    const answers = holding(() => ({ body: {} }));
    service = await startUpstream(answers);
    const ask = open({ concurrency: 1 });
    const [first, second] = [new RequestTimings(), new RequestTimings()];
    const all = Promise.all([ask(first), ask(second)]);
    await service.requested(1);
    answers.releaseOne();
    await service.requested(2);
    answers.release();
    await all;
    expect([namesOf(first), namesOf(second)]).toEqual([
      ['upstream', 'read'],
      ['bulkhead', 'upstream', 'read'],
    ]);
    const [wait, exchange] = second.list();
    expect(wait!.endMs).toBeLessThanOrEqual(exchange!.startMs);
    expect(exchange).toMatchObject({ base: service.origin, outcome: 200 });
  });

  it('are a failed exchange and the pause before the next one, too', async () => {
    service = await startUpstream((socket, _, connection) => {
      if (connection === 0) socket.resetAndDestroy();
      else socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
    });
    const timings = new RequestTimings();
    await open({ retries: { max: 1, budget: 100 } })(timings).catch(() => undefined);
    expect(timings.list()[0]).toMatchObject({
      name: 'upstream',
      outcome: expect.stringMatching(/^upstream_/),
    });
    expect(namesOf(timings).join()).toMatch(/^upstream(,backoff,upstream,read)?$/);
  });

  it('have the login that it waited for', async () => {
    service = await startUpstream(
      holding(
        ({ path }) => (path === '/login' ? { headers: { 'Set-Cookie': 'sid=s1' }, body: {} } : { body: {} }),
        false,
      ),
    );
    const timings = new RequestTimings();
    const login = { path: '/login', json: { user: 'u' } };
    await open(
      {},
      { kind: 'session', login, cookie: 'sid', header: 'X-Session', value: '{session}' },
    )(timings);
    expect(namesOf(timings)).toEqual(['login', 'upstream', 'read']);
  });

  it('are not taken of a call for which nobody asks for them', async () => {
    service = await startUpstream(holding(() => ({ body: {} }), false));
    expect(await open({})(undefined)).toBe(200);
  });
});
