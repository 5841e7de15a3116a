import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AdminDeps, createAdminApp } from '../../../src/admin/app.ts';
import { createMetrics } from '../../../src/admin/metrics.ts';
import { Secret } from '../../../src/kernel/secret.ts';

const redis = (ready: boolean) => ({ name: 'redis', ready, needed: true });

describe("the operator's listener", () => {
  const servers: Server[] = [];
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
      quality: () => [],
      purge: () => Promise.resolve(),
      claims: { list: () => [], reset: () => Promise.resolve([]) },
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

  it('purges a tag from the cache by POST, and by no other method', async () => {
    const purged: string[] = [];
    const purge = (tag: string) => Promise.resolve(void purged.push(tag));
    for (const tag of ['users', 'user:42', 'user_a_b', '*'])
      expect((await ask(`/cache/purge?tag=${encodeURIComponent(tag)}`, { purge }, 'POST')).status).toBe(200);
    for (const query of ['', '?tag=', '?tag=A', '?tag=a&tag=b', '?tag[]=a'])
      expect((await ask(`/cache/purge${query}`, { purge }, 'POST')).status).toBe(400);
    expect((await ask('/cache/purge?tag=users', { purge })).status).toBe(404);
    expect(purged).toEqual(['users', 'user:42', 'user:a_b', '*']);
  });

  it('has fallen claims believed again by POST, and by no other method', async () => {
    const selections: unknown[] = [];
    const claims = {
      list: () => ['one'],
      reset: (selection: object) => Promise.resolve(selections.push(selection)),
    };
    expect(JSON.parse((await ask('/claims', { claims })).text)).toEqual({ fallen: ['one'] });
    for (const query of ['', '?source=crm', '?source=crm&claim=order'])
      expect((await ask(`/claims/reset${query}`, { claims }, 'POST')).status).toBe(200);
    for (const query of ['?source=a&source=b', '?claim[]=a'])
      expect((await ask(`/claims/reset${query}`, { claims }, 'POST')).status).toBe(400);
    expect((await ask('/claims/reset', { claims })).status).toBe(404);
    expect(selections).toEqual([{}, { source: 'crm' }, { source: 'crm', claim: 'order' }]);
  });

  describe('without a token', () => {
    it('refuses what a page in a browser on the machine sends', async () => {
      const purge = () => Promise.reject(new Error('purged'));
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1'])
        expect(await ask('/cache/purge?tag=*', { purge }, 'POST', { origin })).toMatchObject({ status: 403 });
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
    const deps = { token: new Secret('sixteen-or-more-characters') };
    const inner = [
      ['GET', '/metrics'],
      ['GET', '/quality'],
      ['POST', '/cache/purge?tag=users'],
      ['GET', '/nowhere'],
    ] as const;

    it.each(inner)('answers 401 to %s %s without the token', async (method, path) => {
      const purge = () => Promise.reject(new Error('purged'));
      for (const authorization of ['', 'Bearer', 'Bearer sixteen-or-more-character', 'Basic c2l4dGVlbg=='])
        expect(await ask(path, { ...deps, purge }, method, { authorization })).toMatchObject({ status: 401 });
      const { headers, text } = await ask(path, { ...deps, purge }, method);
      expect([headers.get('www-authenticate'), text]).toEqual([
        'Bearer',
        '{"status":"the token of admin.token is needed"}',
      ]);
    });

    it('answers requests that carry the token', async () => {
      const given = { Authorization: 'bearer sixteen-or-more-characters' };
      const statuses = [];
      for (const [method, path] of inner) statuses.push((await ask(path, deps, method, given)).status);
      expect(statuses).toEqual([200, 200, 200, 404]);
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
      { status: 'ready', draining: false, checks: { redis: true } },
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
    });
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

    expect([status, JSON.parse(text)]).toEqual([404, { status: 'not found' }]);
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('answers a failing check without its error', async () => {
    const checks = () => {
      throw new Error('redis://:hunter2@inner');
    };
    const { status, text } = await ask('/readyz', { checks });

    expect([status, JSON.parse(text)]).toEqual([500, { status: 'error' }]);
  });
});
