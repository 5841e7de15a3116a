import express from 'express';
import type { PorticoOptions } from '../../../src/library.ts';
import { AUTHORIZED, createHosted, hostedConfig, keepLog, serveHost } from '../../support/gateway/hosted.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const ada = { id: 'ada', permissions: ['users:read', 'orders:read'] };
const SESSION = { cookie: 'session=7' };

/** A host whose sessions are cookies, with a gateway that asks it who calls. */
async function startHost(options: Partial<PorticoOptions> = {}, upstream?: string) {
  const { logger, lines } = keepLog();
  const portico = await createHosted(
    {
      logger,
      authenticate: ({ headers }) => (headers.cookie === SESSION.cookie ? ada : undefined),
      ...options,
    },
    upstream,
  );
  const base = await serveHost(express().use(portico.handler));
  return { lines, ask: (path: string, init: RequestInit = {}) => fetch(base + path, init) };
}

describe('a host that authenticates callers itself', () => {
  it('decides by its own sessions, with limits, permissions and a name in the log as ever', async () => {
    const { ask, lines } = await startHost();
    const answer = await ask('/v1/users', { headers: SESSION });
    expect([answer.status, answer.headers.has('ratelimit')]).toEqual([200, true]);
    expect(answer.headers.get('vary')).toContain('Cookie');
    expect((await ask('/v1/products', { headers: SESSION })).status).toBe(403);
    expect(lines.find(({ operation }) => operation === 'users.list')).toMatchObject({ caller: 'host:ada' });
  });

  it('leaves callers whom it does not know to keys and tokens', async () => {
    const { ask } = await startHost();
    expect((await ask('/v1/products', { headers: AUTHORIZED })).status).toBe(200);
    expect((await ask('/v1/products')).status).toBe(401);
  });

  it('with exclusive refuses callers whom it does not know, whatever they present', async () => {
    const { ask } = await startHost({ exclusive: true });
    expect((await ask('/v1/users', { headers: AUTHORIZED })).status).toBe(401);
    expect((await ask('/v1/users', { headers: SESSION })).status).toBe(200);
  });

  it('may answer by a promise', async () => {
    const { ask } = await startHost({ authenticate: () => Promise.resolve(ada) });
    expect((await ask('/v1/users')).status).toBe(200);
  });

  it('needs neither keys nor tokens if the gateway file says auth.host', async () => {
    const config = hostedConfig({ auth: { host: true } });
    const { ask } = await startHost({ config });
    expect((await ask('/v1/users', { headers: SESSION })).status).toBe(200);
  });

  it.each<[string, PorticoOptions['authenticate'], string]>([
    ['throws', () => JSON.parse('{') as never, 'has thrown'],
    ['rejects', () => Promise.reject(new Error('no database')), 'has thrown'],
    ['takes longer than 1 s', () => new Promise(() => undefined), 'took longer than 1 s'],
    ['gives something else', () => ({ id: 7 }) as never, 'gave no principal: id'],
    ['gives null', () => null as never, 'gave no principal'],
    ['gives an unknown tier', () => ({ ...ada, tier: 'gold' }), 'gave the tier gold'],
    ['gives a permission that is none', () => ({ id: 'ada', permissions: ['all'] }), 'permissions.0'],
  ])('is answered with 500 and a line of the log, without a point of the limit, if it %s', async (...row) => {
    const [, authenticate, detail] = row;
    const { ask, lines } = await startHost(authenticate && { authenticate });
    const answer = await ask('/v1/users');
    expect([answer.status, answer.headers.has('ratelimit')]).toEqual([500, false]);
    await eventually(() => lines.some((line) => line.level === 'error'));
    expect(lines.at(-1)).toMatchObject({ level: 'error', detail: expect.stringContaining(detail) });
  });

  it('lets pages of other sites change nothing with its cookie, which never goes upstream', async () => {
    const upstream = endAfterTest(await startUpstream(serving(() => ({ body: [] }))));
    const { ask } = await startHost({}, upstream.origin);
    const post = (headers: Record<string, string>) =>
      ask('/legacy/orders', { method: 'POST', body: '{}', headers: { ...SESSION, ...headers } });
    expect((await post({})).status).toBe(403);
    expect((await post({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect(upstream.requests).toHaveLength(0);
    expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await ask('/legacy/orders', { headers: SESSION })).status).toBe(200);
    expect(upstream.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });
});
