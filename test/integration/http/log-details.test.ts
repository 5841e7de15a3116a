import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { blameUpstream, fault } from '../../../src/kernel/errors/fault.ts';
import { askRaw, request } from '../../support/client/raw-client.ts';
import { startPassthrough } from '../../support/gateway/passthrough-route.ts';
import { type SourceGateway, startSourceGateway } from '../../support/gateway/start-gateway.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const sourceText = (url: string, net = '') => `source: 1
name: crm
net: { baseUrl: '${url}', retries: { max: 0 }${net} }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users }
      window: { kind: none }
      items: rows
      map: { id: no, name: name, email: name, created_at: null }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: no, name: name, email: name, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

async function start(net = '', level: 'info' | 'debug' = 'info') {
  const reply = { body: { rows: [{ no: 1, name: 'Ada' }] } };
  const upstream = endAfterTest(await startUpstream(serving(() => reply)));
  const configure = ({ log }: GatewayConfig) => void (log.level = level);
  const gateway = endAfterTest(await startSourceGateway(sourceText(upstream.origin, net), configure));
  return { gateway, upstream };
}

const requestsOf = ({ log }: SourceGateway) =>
  log.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'request');

describe('the log line of a failure of an upstream', () => {
  it.each([
    ['answers with an error', { status: 500, body: {} }, 502],
    ['answers with something that cannot be used', { body: { rows: 7 } }, 502],
  ])('names source and host where the source %s', async (_how, reply, status) => {
    const { gateway, upstream } = await start();
    upstream.become(serving(() => reply));
    expect((await gateway.get('/v1/users')).status).toBe(status);

    expect(requestsOf(gateway)).toMatchObject([
      { status, source: 'crm', host: `127.0.0.1:${upstream.port}` },
    ]);
  });

  it('names source and host where there is no connection, and the source alone while its breaker is open', async () => {
    const { gateway, upstream } = await start(', breaker: { calls: 1, open: 1h }');
    const host = `127.0.0.1:${upstream.port}`;
    await upstream.close();
    for (let i = 0; i < 3; i += 1) expect((await gateway.get('/v1/users')).status).toBe(503);

    const lines = requestsOf(gateway);
    expect(lines[0]).toMatchObject({ status: 503, source: 'crm', host });
    expect(lines.at(-1)).toMatchObject({
      status: 503,
      source: 'crm',
      detail: 'the breaker of the source is open',
    });
    expect(lines.at(-1)).not.toHaveProperty('host');
  });

  it('names route and host of a pass-through upstream', async () => {
    const { listener, upstream } = await startPassthrough({}, { script: (socket) => socket.destroy() });
    await askRaw(listener.port, request('POST', '/legacy/orders', ['Content-Length: 0']));

    const line = await listener.line(({ operation }) => operation === 'passthrough.orders');
    const host = `127.0.0.1:${upstream.port}`;
    expect(line).toMatchObject({ status: 502, source: 'passthrough.orders', host });
  });

  it('keeps the first name, which is the closest', () => {
    const error = fault('upstream_error');
    blameUpstream(error, 'crm', 'http://crm.example.test:81/base');
    blameUpstream(error, 'other');
    expect(error.upstream).toEqual({ source: 'crm', host: 'crm.example.test:81' });
  });
});

describe('log.level: debug', () => {
  it('adds the path of a request to no route, without its query, and how a source was asked', async () => {
    const { gateway } = await start('', 'debug');
    await fetch(`${gateway.url}/v1/nothing/here?q=secret`);
    await gateway.get('/v1/users?sort=name');
    await gateway.get('/v1/users/user_1');

    const [unknown, list, single] = requestsOf(gateway);
    expect(unknown).toMatchObject({ status: 404, path: '/v1/nothing/here' });
    expect(list).toMatchObject({ plan: 'scan', dependsOn: expect.any(Array), why: expect.any(String) });
    expect(single).toMatchObject({ plan: 'record' });
    for (const line of [list, single]) expect(line).not.toHaveProperty('path');
    expect(gateway.log.join('')).not.toContain('secret');
  });

  it('cuts a long path, and nothing of it is told at another level', async () => {
    const { gateway } = await start('', 'debug');
    await fetch(`${gateway.url}/${'x'.repeat(500)}`);
    expect(requestsOf(gateway)[0]?.['path']).toHaveLength(200);
    const plain = await start();
    await fetch(`${plain.gateway.url}/nothing/here`);
    await plain.gateway.get('/v1/users');
    for (const line of requestsOf(plain.gateway))
      for (const field of ['path', 'plan', 'dependsOn', 'why']) expect(line).not.toHaveProperty(field);
  });
});
