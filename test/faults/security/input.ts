import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { answering, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { HOST, request, requestOf } from '../../support/client/raw-client.ts';
import type { BenchRow } from '../harness/row.ts';
import { exchangeRaw } from '../client/raw.ts';

const elsewhere: BenchRow = {
  id: 'S11',
  name: 'addresses of other servers in targets, hosts, ids, parameters, headers and redirects – only the configured services are connected to',
  async run(bench) {
    let connections = 0;
    const trap = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    trap.listen(0, '127.0.0.1');
    await once(trap, 'listening');
    bench.own({ stop: () => trap.close() });
    const host = `127.0.0.1:${(trap.address() as AddressInfo).port}`;
    const redirecting = await startUpstream(
      answering('HTTP/1.1 302 Found', `Location: http://${host}/inner`, 'Content-Length: 0', '', ''),
    );
    bench.own(redirecting);
    const route = { name: 'away', path: '/away', upstream: redirecting.origin, permission: 'orders:read' };
    const gateway = await bench.gateway({
      config: { passthrough: [route] },
      env: { CATALOG_URL: redirecting.origin },
    });
    const key = `X-API-Key: ${gateway.configuredKey}`;
    const encoded = encodeURIComponent(`http://${host}/`);
    const asks = [
      ...[
        `http://${host}/v1/users`,
        `/v1/users/${encoded}`,
        `/v1/users/@${host}`,
        `/v1/users?url=${encoded}`,
      ],
      ...[
        `/v1/users?next=//${host}`,
        `//${host}/v1/users`,
        `/away/@${host}/`,
        `/away/${encoded}`,
        `/away//${host}`,
      ],
      ...['/away', '/v1/products', '/v1/products?limit=2'],
    ].map((target) => request('GET', target, [key]));
    const claims = [
      'X-Forwarded-Host',
      'X-Original-URL',
      'X-Rewrite-URL',
      'Forwarded',
      'X-Host',
      'Referer',
      'Origin',
      'Location',
    ];
    for (const name of claims) asks.push(request('GET', '/away', [key, `${name}: http://${host}/`]));
    asks.push(
      requestOf('GET /away HTTP/1.1', `Host: ${host}`, key),
      requestOf('GET /v1/users HTTP/1.1', `Host: ${host}`, key),
    );
    for (const bytes of asks) {
      const [answer] = (await exchangeRaw(gateway.port, bytes, 1)).answers;
      assert.ok(!(answer?.headers['location'] ?? '').includes(host), 'the inner address came out');
    }
    assert.equal(connections, 0);
    return { requests: asks.length, elsewhere: connections };
  },
};

const enumeration: BenchRow = {
  id: 'S12',
  name: 'everything asked for at once, and record by record without the right to it – at most 100 records a page; without the permission 403, whether the record exists or not',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const key = gateway.configuredKey;
    const limits = [101, 1_000, 1e9, '100.0', '1e2', '%31%30%31', '0100000'];
    for (const limit of limits)
      assert.equal((await gateway.ask(`/v1/users?limit=${limit}`, { key })).status, 400);
    const { body } = await gateway.ask('/v1/users?limit=100', { key });
    assert.ok((JSON.parse(body) as { data: unknown[] }).data.length <= 100);
    const seen = new Set<string>();
    for (let id = 1; id <= 60; id += 1) {
      const answer = await gateway.ask(`/v1/users/user_${id}`, { key: null });
      seen.add(`${answer.status} ${answer.body.replace(/req_[\w-]{22}/, '')}`);
    }
    assert.equal(seen.size, 1, [...seen].join());
    return { requests: limits.length + 61, violations: 0 };
  },
};

const pollution: BenchRow = {
  id: 'S13',
  name: 'prototypes in parameters, ids, headers and replies, on a process without `__proto__` – as good as any other name; nothing uses `__proto__`, and the answers stay the truth',
  async run(bench) {
    const gateway = await bench.gateway({ env: { NODE_OPTIONS: '--disable-proto=throw' } });
    const key = gateway.configuredKey;
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      '__proto__[limit]',
      'constructor[prototype][limit]',
      'toString',
    ];
    for (const name of names) {
      const query = await gateway.ask(`/v1/users?limit=3&${encodeURIComponent(name)}=1`, {
        key,
        headers: { 'x-proto': name },
      });
      assert.equal(query.status, 200, name);
      assert.equal((await gateway.ask(`/v1/users/${encodeURIComponent(name)}`, { key })).status, 404, name);
      assert.equal((await gateway.ask(`/${encodeURIComponent(name)}`, { key })).status, 404, name);
      assert.equal(
        (await gateway.ask(`/v1/users?sort=${encodeURIComponent(name)}`, { key })).status,
        400,
        name,
      );
      assert.equal((await gateway.ask('/v1/users', { key: name })).status, 401, name);
    }
    for (const path of [
      '/v1/users?sort=-name',
      '/v1/users/user_3',
      '/v1/products?min_price=1',
      '/legacy/orders',
    ])
      assert.equal((await gateway.ask(path, { key })).status, 200, path);
    return { requests: names.length * 5 + 4, polluted: 0 };
  },
};

const injection: BenchRow = {
  id: 'S15',
  name: 'line ends and names of headers, sent by the client and by the legacy service – only headers that may pass do; none is made out of a value',
  async run(bench) {
    const inner = [
      'Set-Cookie: a=b',
      'Server: Apache',
      'X-Powered-By: PHP',
      'Access-Control-Allow-Origin: *',
      'X-Request-Id: theirs',
      'Clear-Site-Data: "*"',
      'WWW-Authenticate: Basic',
    ];
    const upstream = await startUpstream(
      answering('HTTP/1.1 200 OK', ...inner, 'Content-Length: 2', '', 'ok'),
    );
    bench.own(upstream);
    const route = { name: 'legacy', path: '/legacy', upstream: upstream.origin, permission: 'orders:read' };
    const gateway = await bench.gateway({ config: { passthrough: [route] } });
    const key = `X-API-Key: ${gateway.configuredKey}`;
    const extraHeaders = [
      'Cookie: a=b',
      'X-Forwarded-For: 1.2.3.4',
      'Forwarded: for=1.2.3.4',
      'X-HTTP-Method-Override: DELETE',
      'Connection: X-Secret',
      'X-Secret: 1',
      'Proxy-Authorization: x',
      'TE: trailers',
      'X-Real-IP: 1.2.3.4',
    ];
    const targets = [
      '/legacy',
      '/legacy/a',
      '/legacy?x=%0d%0aInjected:%201',
      '/legacy?x=%E5%98%8D%E5%98%8AInjected:1',
    ];
    for (const target of targets) {
      const [answer] = (await exchangeRaw(gateway.port, request('GET', target, [key, ...extraHeaders]), 1))
        .answers;
      assert.equal(answer?.status, 200, target);
      for (const name of [
        'set-cookie',
        'server',
        'x-powered-by',
        'access-control-allow-origin',
        'clear-site-data',
        'www-authenticate',
        'injected',
      ])
        assert.ok(!(name in answer.headers), `${name} came back`);
      assert.match(answer.headers['x-request-id'] ?? '', /^req_[\w-]{22}$/);
    }
    const bad = ['/legacy/a%0d%0aInjected:%201', '/legacy/a%00'].map((target) =>
      request('GET', target, [key]),
    );
    bad.push(
      requestOf('GET /legacy HTTP/1.1', HOST, key, 'X: a\rInjected: 1'),
      requestOf('GET /legacy HTTP/1.1', HOST, key, 'X: a\0b'),
    );
    for (const bytes of bad)
      assert.equal((await exchangeRaw(gateway.port, bytes, 1)).answers[0]?.status, 400);
    const heard = upstream.received.join('\n').toLowerCase();
    for (const name of [
      'cookie',
      'forwarded: for=1.2',
      '1.2.3.4',
      'override',
      'x-secret',
      'proxy-auth',
      '\nte:',
      '\ninjected',
      'x-api-key',
    ])
      assert.ok(!heard.includes(name), `${name} was passed on`);
    return { requests: targets.length + bad.length, injected: 0 };
  },
};

/** What can be tried with values. */
export const securityInput: readonly BenchRow[] = [elsewhere, enumeration, pollution, injection];
