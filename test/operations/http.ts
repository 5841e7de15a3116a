import type { FaultBench } from '../faults/harness/bench.ts';
import { askRaw, connectRaw, request } from '../support/client/raw-client.ts';
import { answering, type Script, startUpstream } from '../support/upstream/scripted-upstream.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const APP = 'https://app.example.test';
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
const OK = answering('HTTP/1.1 200 OK', 'Content-Length: 2', '', 'ok');

/** A gateway with one route, and what asks it with a key that may. */
async function openRoute(bench: FaultBench, script: Script, more: object = {}) {
  const upstream = bench.own(await startUpstream(script));
  const route = { name: 'orders', path: '/legacy/orders', methods: METHODS, permission: 'orders:read' };
  const passthrough = [{ ...route, upstream: upstream.origin, bodyMax: '1KiB', ...more }];
  const config = { passthrough, cors: { origins: [APP] } };
  const gateway = await bench.gateway({ config, env: { REDIS_URL: '' }, keys: 0 });
  const key = `X-API-Key: ${gateway.configuredKey}`;
  const port = Number(new URL(gateway.url).port);
  const bytes = (method: string, lines: readonly string[] = []) =>
    request(method, '/legacy/orders', [key, ...lines]);
  return {
    upstream,
    port,
    bytes,
    ask: (...about: Parameters<typeof bytes>) => askRaw(port, bytes(...about)),
  };
}

const cors: BenchRow = {
  id: 'http-1',
  name: 'a browser may read the answer to every method that the preflight of a pass-through route allows',
  fast: true,
  async run(bench) {
    const { ask } = await openRoute(bench, OK);
    const origin = [`Origin: ${APP}`, 'Content-Length: 0'];
    const { headers } = await ask('OPTIONS', origin);
    const allowed = (headers['access-control-allow-methods'] ?? '').split(', ');
    let readable = 0;
    for (const method of allowed) {
      const answer = await ask(method, origin);
      const isVaried = answer.headers['vary']?.includes('Origin') === true;
      if (isVaried && answer.headers['access-control-allow-origin'] === APP) readable += 1;
    }
    return promised(readable === METHODS.length, { allowed: allowed.length, readable });
  },
};

const TOLD = [
  ...['Cache-Control: public, max-age=60', 'Cache-Control: s-maxage=60', 'Cache-Control: max-age=60'],
  ...['CDN-Cache-Control: max-age=60', 'Cloudflare-CDN-Cache-Control: max-age=60'],
  ...['Surrogate-Control: max-age=60', 'Edge-Control: max-age=60', 'Expires: Thu, 01 Jan 2099 00:00:00 GMT'],
];

const sharedCaches: BenchRow = {
  id: 'http-2',
  name: 'nothing that an upstream says lets a shared cache keep what a permission protects',
  fast: true,
  async run(bench) {
    const { ask, upstream } = await openRoute(bench, OK);
    let kept = 0;
    for (const line of TOLD) {
      upstream.become(answering('HTTP/1.1 200 OK', line, 'Content-Length: 2', '', 'ok'));
      const { headers } = await ask('GET');
      const lets = Object.keys(headers).some((name) => /.-cache-control|surrogate|edge/.test(name));
      if (lets || !/^private(?!.*s-maxage)/.test(headers['cache-control'] ?? '')) kept += 1;
    }
    return promised(kept === 0, { told: TOLD.length, kept });
  },
};

const expectations: BenchRow = {
  id: 'http-3',
  name: 'no client is told to send a body that is then refused',
  fast: true,
  async run(bench) {
    const { port, bytes, upstream } = await openRoute(bench, OK);
    const refused = [
      bytes('PUT', ['Expect: 100-continue', 'Content-Length: 5']),
      bytes('POST', ['Expect: 100-continue', 'Content-Length: 5000']),
      request('POST', '/legacy/orders', ['Expect: 100-continue', 'Content-Length: 5']),
      request('POST', '/nowhere', ['Expect: 100-continue', 'Content-Length: 5']),
    ];
    let invited = 0;
    for (const head of refused) {
      const connection = await connectRaw(port);
      connection.send(head);
      if ((await connection.answer()).status === 100) invited += 1;
      connection.close();
    }
    return promised(invited === 0 && upstream.calls === 0, { refused: refused.length, invited });
  },
};

const failures: BenchRow = {
  id: 'http-4',
  name: 'the log lines of 502 and 503 name source and host',
  fast: true,
  async run(bench) {
    const upstream = bench.own(await startUpstream((socket) => socket.destroy()));
    const passthrough = [
      { name: 'broken', path: '/broken', permission: null, upstream: upstream.origin },
      { name: 'gone', path: '/gone', permission: null, upstream: 'http://127.0.0.2:9' },
    ];
    const env = { REDIS_URL: '', USERS_URL: 'http://127.0.0.2:9' };
    const gateway = await bench.gateway({ config: { passthrough }, env, keys: 0 });
    for (const path of ['/broken', '/gone', '/v1/users?limit=1'])
      await gateway.ask(path, { key: gateway.configuredKey });
    const lines = () => gateway.log().filter(({ status }) => status === 502 || status === 503);
    await bench.until(() => lines().length >= 3);
    const named = lines().filter(({ source, host }) => source !== undefined && host !== undefined).length;
    return promised(named === lines().length, { lines: lines().length, named });
  },
};

/** HTTP as operators and attackers found it. */
export const httpRows: readonly BenchRow[] = [cors, sharedCaches, expectations, failures];
