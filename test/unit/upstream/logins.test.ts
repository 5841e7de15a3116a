import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sourceSchema } from '../../../src/config/schema/source.ts';
import { fault } from '../../../src/errors/fault.ts';
import { createUpstream, type Upstream } from '../../../src/upstream/client.ts';

/** A service with sessions: what it was asked, in order, and answers that the test lets go. */
async function startService(session: () => string) {
  const asked: string[] = [];
  let held: (() => void)[] | undefined;
  const server = http.createServer((request, response) => {
    const used = String(request.headers['x-session'] ?? '-');
    asked.push(`${request.method} ${request.url} ${used}`);
    const isLogin = request.url === '/login';
    const isKnown = isLogin || used === session();
    const answer = () =>
      response.writeHead(isKnown ? 200 : 401, isLogin ? { 'Set-Cookie': `sid=${session()}` } : {}).end('{}');
    if (held === undefined) answer();
    else held.push(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    hold: () => void (held = []),
    letGo() {
      for (const answer of held ?? []) answer();
      held = undefined;
    },
    stop: () => new Promise((done) => server.close(done)),
  };
}

type Service = Awaited<ReturnType<typeof startService>>;
let service: Service;
let current = 's1';
let upstream: Upstream;
let tokens = 0;

beforeEach(async () => {
  [current, tokens] = ['s1', 0];
  service = await startService(() => current);
});
afterEach(async () => {
  upstream.close();
  await service.stop();
});

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((done) => setImmediate(done));
};

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
    readSession: () => undefined,
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
    service.hold();
    const all = Promise.all(['/a', '/b', '/c'].map((target) => ask(target)));
    await until(() => service.asked.length === 1);
    expect([upstream.load, tokens]).toEqual([{ active: 1, waiting: 0 }, 1]);
    service.letGo();
    expect(await all).toEqual([200, 200, 200]);
    expect(service.asked.toSorted()).toEqual(['GET /a s1', 'GET /b s1', 'GET /c s1', 'POST /login -']);
    expect([service.asked[0], tokens]).toEqual(['POST /login -', 4]);
  });

  it('is one where several are told at a time that the session is over', async () => {
    const ask = open({ concurrency: 2 });
    expect(await ask('/a')).toBe(200);
    current = 's2';
    service.hold();
    const all = Promise.all([ask('/b'), ask('/c')]);
    await until(() => service.asked.length === 4);
    service.letGo();
    expect(await all).toEqual([200, 200]);
    expect(service.asked.slice(2).toSorted()).toEqual([
      ...['GET /b s1', 'GET /b s2', 'GET /c s1', 'GET /c s2', 'POST /login -'],
    ]);
    expect(tokens).toBe(service.asked.length);
  });

  it('is not waited for by who has gone', async () => {
    const ask = open({ concurrency: 1 });
    service.hold();
    const caller = new AbortController();
    const gone = ask('/a', caller.signal);
    await until(() => service.asked.length === 1);
    caller.abort(new Error('client gone'));
    expect(await gone).toEqual(new Error('client gone'));
    await until(() => upstream.load.active === 0);
    service.letGo();
    expect(await ask('/b')).toBe(200);
  });

  it('that takes too long is the failure of all who wait for it', async () => {
    const ask = open({ concurrency: 1, timeout: '50ms' });
    service.hold();
    const late = await Promise.all([ask('/a'), ask('/b')]);
    expect(late).toMatchObject([{ code: 'upstream_timeout' }, { code: 'upstream_timeout' }]);
    expect([upstream.load, service.asked]).toEqual([{ active: 0, waiting: 0 }, ['POST /login -']]);
  });

  it('that brings nothing fails, and the next call logs in anew', async () => {
    const ask = open({ concurrency: 1 });
    current = '';
    expect(await ask('/a')).toMatchObject({ code: 'upstream_error' });
    current = 's1';
    expect(await ask('/a')).toBe(200);
  });
});
