import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Act } from '../../../src/admin/actions/act.ts';
import { type AdminDeps, createAdminApp } from '../../../src/admin/app.ts';
import { adminTokens } from '../../../src/admin/access/admin-tokens.ts';
import { createMetrics } from '../../../src/admin/metrics/metrics.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';

const inForce = { rev: 1, digest: 'the digest' };
const redis = (ready: boolean) => ({ name: 'redis', ready, needed: true });

describe("the operator's listener", () => {
  const servers: Server[] = [];
  const warned: object[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.close();
      await once(server, 'close');
    }
  });

  async function ask(
    path: string,
    over: Partial<AdminDeps> = {},
    method = 'GET',
    given: Readonly<Record<string, string>> = {},
  ) {
    const metrics = {
      text: () => Promise.resolve('portico_up 1\n'),
      contentType: 'text/plain; version=0.0.4',
    };
    const listener = createAdminApp({
      checks: () => [],
      draining: () => false,
      metrics,
      events: { serve: (_req, res) => void res.end() },
      act: () => Promise.resolve({ kind: 'done', value: {} }),
      tokens: () => [],
      config: () => inForce,
      log: { info: () => undefined, warn: (fields: object) => void warned.push(fields) },
      ...{ clock: systemClock, version: '1.0.0' },
      ...over,
    });
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
      method,
      headers: { Connection: 'close', ...given },
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  it('answers /livez with 200 whatever the process depends on', async () => {
    const { status, text } = await ask('/livez', { checks: () => [redis(false)] });

    expect([status, JSON.parse(text)]).toEqual([200, { status: 'ok' }]);
  });

  /** What reached the action, and what it was given. */
  function recorded() {
    const asked: unknown[] = [];
    const act: Act = (name, input, { name: actor }) => {
      asked.push([name, input, actor]);
      return Promise.resolve({ kind: 'done', value: {} });
    };
    return { asked, act };
  }

  it('purges a tag from the cache by POST, and by no other method', async () => {
    const path = '/api/cache/purge';
    const { asked, act } = recorded();
    for (const tag of ['users', 'user:42', 'user_a_b', '*'])
      expect((await ask(`${path}?tag=${encodeURIComponent(tag)}`, { act }, 'POST')).status).toBe(200);
    for (const query of ['', '?tag=', '?tag=A', '?tag=a&tag=b', '?tag[]=a'])
      expect((await ask(`${path}${query}`, { act }, 'POST')).status).toBe(400);
    expect((await ask(`${path}?tag=users`, { act })).status).toBe(404);
    const tags = ['users', 'user:42', 'user_a_b', '*'];
    expect(asked).toEqual(tags.map((tag) => ['cache.purge', { tag }, 'local']));
  });

  it('has disabled claims believed again by POST, and by no other method', async () => {
    const { asked, act } = recorded();
    expect((await ask('/api/claims', { act })).status).toBe(200);
    for (const query of ['', '?source=crm', '?source=crm&claim=order'])
      expect((await ask(`/api/claims/reset${query}`, { act }, 'POST')).status).toBe(200);
    for (const query of ['?source=a&source=b', '?claim[]=a'])
      expect((await ask(`/api/claims/reset${query}`, { act }, 'POST')).status).toBe(400);
    expect((await ask('/api/claims/reset', { act })).status).toBe(404);
    expect(asked).toEqual([
      ['claims', {}, 'local'],
      ['claims.reset', {}, 'local'],
      ['claims.reset', { source: 'crm' }, 'local'],
      ['claims.reset', { source: 'crm', claim: 'order' }, 'local'],
    ]);
  });

  it('answers 503 with reason and hint, and a line of the log, where an action needs what is away', async () => {
    const problem = { code: 'unavailable', reason: 'Redis is away', hint: 'wait' } as const;
    const act = () => Promise.resolve({ kind: 'refused', problem } as const);
    const { status, text } = await ask('/api/cache/purge?tag=users', { act }, 'POST');
    expect([status, JSON.parse(text)]).toEqual([503, { error: problem }]);
    expect(warned).toContainEqual({ action: 'cache.purge', actor: 'local', reason: 'Redis is away' });
  });

  describe('without a token', () => {
    it('refuses what a page in a browser on the machine sends', async () => {
      const act = () => Promise.reject(new Error('purged'));
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1'])
        expect(await ask('/api/cache/purge?tag=*', { act }, 'POST', { origin })).toMatchObject({
          status: 403,
        });
    });

    it.each([
      ['evil.example', 403],
      ['localhost.evil.example:9090', 403],
      ['127.0.0.1.evil.example', 403],
      ['localhost:9090', 200],
      ['127.0.0.1', 200],
      ['[::1]:9090', 200],
    ])('answers a request to the host %s with %i, against DNS rebinding', async (host, status) => {
      await ask('/livez');
      const { port } = servers.at(-1)!.address() as AddressInfo;
      const asked = get({ port, path: '/metrics', headers: { host, connection: 'close' } });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      expect(answer.statusCode).toBe(status);
    });
  });

  describe('with a token', () => {
    const tokens = adminTokens({ token: new Secret('sixteen-or-more-characters'), tokens: [] });
    const deps = { tokens: () => tokens };
    const inner = [
      ['GET', '/metrics'],
      ['GET', '/api/quality'],
      ['POST', '/api/cache/purge?tag=users'],
      ['GET', '/nowhere'],
    ] as const;

    it.each(inner)('answers 401 to %s %s without the token', async (method, path) => {
      const act = () => Promise.reject(new Error('purged'));
      for (const authorization of ['', 'Bearer', 'Bearer sixteen-or-more-character', 'Basic c2l4dGVlbg=='])
        expect(await ask(path, { ...deps, act }, method, { authorization })).toMatchObject({ status: 401 });
      const { headers, text } = await ask(path, { ...deps, act }, method);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'unauthenticated', reason: 'no token' } });
    });

    it('answers requests that carry the token', async () => {
      const given = { Authorization: 'bearer sixteen-or-more-characters' };
      const statuses = [];
      for (const [method, path] of inner) statuses.push((await ask(path, deps, method, given)).status);
      expect(statuses).toEqual([200, 200, 200, 404]);
    });

    it('lets a viewer read and change nothing, says which role is missing, and follows the tokens at once', async () => {
      const text = 'the-token-of-prometheus';
      const hash = createHash('sha256').update(text).digest('hex');
      let known = adminTokens({ tokens: [{ name: 'prometheus', role: 'viewer', hash }] });
      const listener = { tokens: () => known };
      const given = { authorization: `Bearer ${text}` };
      expect((await ask('/api/metrics', listener, 'GET', given)).status).toBe(200);
      const refused = await ask('/api/cache/purge?tag=users', listener, 'POST', given);
      expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
        403,
        { error: { reason: 'the token "prometheus" has the role viewer, which only reads' } },
      ]);
      expect(warned).toContainEqual({ action: 'cache.purge', actor: 'prometheus' });
      known = adminTokens({ token: new Secret('another-token-of-the-operator'), tokens: [] });
      expect((await ask('/api/metrics', listener, 'GET', given)).status).toBe(401);
    });

    it('answers /livez and /readyz without the token', async () => {
      expect((await ask('/livez', deps)).status).toBe(200);
      expect((await ask('/readyz', deps)).status).toBe(200);
    });
  });

  it('is ready when every check is', async () => {
    const { status, text } = await ask('/readyz', { checks: () => [redis(true)] });

    expect([status, JSON.parse(text)]).toEqual([
      200,
      { status: 'ready', draining: false, checks: { redis: true }, config: inForce },
    ]);
  });

  it('names the check that is not ready', async () => {
    const checks = () => [redis(false), { name: 'keys', ready: true, needed: true }];
    const { status, text, headers } = await ask('/readyz', { checks });

    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      status: 'not ready',
      draining: false,
      checks: { redis: false, keys: true },
      config: inForce,
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is ready while an optional dependency fails, and names it', async () => {
    const checks = () => [redis(true), { name: 'redis.cache', ready: false, needed: false }];
    const { status, text } = await ask('/readyz', { checks });

    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      status: 'ready',
      checks: { redis: true, 'redis.cache': false },
      config: inForce,
    });
  });

  it('says what is wrong with a dependency that is ready nevertheless', async () => {
    const { status, text } = await ask('/readyz', { checks: () => [{ ...redis(true), detail: 'full: …' }] });

    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ checks: { redis: true }, details: { redis: 'full: …' } });
  });

  it('is not ready while it drains', async () => {
    expect((await ask('/readyz', { draining: () => true })).status).toBe(503);
  });

  it('serves the metrics in the Prometheus format', async () => {
    const { status, headers, text } = await ask('/metrics', {
      metrics: createMetrics({ operations: ['users.list'], version: '1.2.3', nodeVersion: 'v24' }),
    });

    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('portico_build_info{version="1.2.3",node="v24"} 1');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('answers 404 to every other path', async () => {
    const { status, text, headers } = await ask('/v1/users');

    expect([status, JSON.parse(text)]).toMatchObject([404, { error: { code: 'not_found' } }]);
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('answers a failing check without its error', async () => {
    const checks = () => {
      throw new Error('redis://:hunter2@inner');
    };
    const { status, text } = await ask('/readyz', { checks });

    expect([status, JSON.parse(text)]).toMatchObject([500, { error: { reason: 'the gateway failed' } }]);
    expect(text).not.toContain('hunter2');
  });
});
