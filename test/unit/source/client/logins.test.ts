import { eventually } from '../../../support/time/eventually.ts';
import { type ScriptedUpstream, startUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { holding, type HoldingScript } from '../../../support/upstream/scripts.ts';
import { sourceSchema } from '../../../../src/config/schema/source.ts';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import { createUpstream, type Upstream } from '../../../../src/source/client/client.ts';

let service: ScriptedUpstream;
/** A service with sessions, whose answers the test may hold back. */
let answers: HoldingScript;
/** What it was asked, in order, and with which session. */
const asked = () =>
  service.requests.map(
    ({ method, path, headers }) => `${method} ${path} ${String(headers['x-session'] ?? '-')}`,
  );
let current = 's1';
let upstream: Upstream;
let tokens = 0;

beforeEach(async () => {
  [current, tokens] = ['s1', 0];
  answers = holding(({ path, headers }) => {
    if (path === '/login') return { headers: { 'Set-Cookie': `sid=${current}` }, body: {} };
    return { status: headers['x-session'] === current ? 200 : 401, body: {} };
  }, false);
  service = await startUpstream(answers);
});
afterEach(async () => {
  upstream.close();
  await service.close();
});

function open(net: object = {}) {
  const spec = sourceSchema.parse({
    ...{ source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {} },
    net: { baseUrl: service.origin, ...net },
    auth: {
      kind: 'session',
      login: { path: '/login', json: { user: 'u' } },
      ...{ cookie: 'sid', header: 'X-Session', value: '{session}' },
    },
  });
  upstream = createUpstream(spec, {
    onExchange: () => undefined,
    takeToken: () => {
      tokens += 1;
      return 0;
    },
  });
  return (target: string, signal = new AbortController().signal) =>
    upstream
      .ask(
        { method: 'GET', target, headers: {}, body: undefined },
        ({ status }) => {
          if (status === 401)
            throw fault('upstream_error', { detail: 'no session', credentialRefused: true });
          return status;
        },
        signal,
        { upstreamCalls: 0, upstreamMs: 0 },
        'caller',
      )
      .catch((error: unknown) => error);
}

describe('a login', () => {
  it('is one call for all who need it, with a place and a right of its own: no other is given meanwhile', async () => {
    const ask = open({ concurrency: 1 });
    answers.hold();
    const all = Promise.all(['/a', '/b', '/c'].map((target) => ask(target)));
    await service.requested(1);
    expect([upstream.load, tokens]).toMatchObject([{ active: 1, waiting: 0 }, 1]);
    answers.release();
    expect(await all).toEqual([200, 200, 200]);
    expect(asked().toSorted()).toEqual(['GET /a s1', 'GET /b s1', 'GET /c s1', 'POST /login -']);
    expect([asked()[0], tokens]).toEqual(['POST /login -', 4]);
  });

  it('happens once if the source rejects the session of several calls at a time', async () => {
    const ask = open({ concurrency: 2 });
    expect(await ask('/a')).toBe(200);
    current = 's2';
    answers.hold();
    const all = Promise.all([ask('/b'), ask('/c')]);
    await service.requested(4);
    answers.release();
    expect(await all).toEqual([200, 200]);
    expect(asked().slice(2).toSorted()).toEqual([
      ...['GET /b s1', 'GET /b s2', 'GET /c s1', 'GET /c s2', 'POST /login -'],
    ]);
    expect(tokens).toBe(asked().length);
  });

  it('is not waited for by who has gone', async () => {
    const ask = open({ concurrency: 1 });
    answers.hold();
    const caller = new AbortController();
    const gone = ask('/a', caller.signal);
    await service.requested(1);
    caller.abort(new Error('client gone'));
    expect(await gone).toEqual(new Error('client gone'));
    await eventually(() => upstream.load.active === 0);
    answers.release();
    expect(await ask('/b')).toBe(200);
  });

  it('that takes too long fails all calls that wait for it', async () => {
    const ask = open({ concurrency: 1, timeout: '50ms' });
    answers.hold();
    const late = await Promise.all([ask('/a'), ask('/b')]);
    expect(late).toMatchObject([{ code: 'upstream_timeout' }, { code: 'upstream_timeout' }]);
    expect([upstream.load, asked()]).toMatchObject([{ active: 0, waiting: 0 }, ['POST /login -']]);
  });

  it('without a session in its reply fails, and the next call logs in again', async () => {
    const ask = open({ concurrency: 1 });
    current = '';
    expect(await ask('/a')).toMatchObject({ code: 'upstream_error' });
    current = 's1';
    expect(await ask('/a')).toBe(200);
  });
});
