import assert from 'node:assert/strict';
import { refusedRequests } from '../../support/client/refused-requests.ts';
import { request } from '../../support/client/raw-client.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import type { BenchRow } from '../harness/row.ts';
import { checkRaw, exchangeRaw, runRawCases } from './raw.ts';
import { bodyCases, framingCases, pipelineCases, protocolCases } from './raw-cases.ts';

/** Sends a hundred bodies of different lengths at once; the upstream tells each one's length. */
async function keepsOrder({ port, configuredKey }: FaultGateway): Promise<void> {
  const lengths = Array.from({ length: 100 }, (_, index) => (index * 37) % 101);
  const bytes = lengths.map((length) => {
    const lines = [`X-API-Key: ${configuredKey}`, `Content-Length: ${length}`];
    return request('POST', '/legacy/orders', lines) + 'x'.repeat(length);
  });
  const { answers } = await exchangeRaw(port, bytes.join(''), lengths.length);
  const received = answers.map(({ body }) => (JSON.parse(body.toString()) as { LAENGE: number }).LAENGE);
  assert.deepEqual(received, lengths);
}

const corpus: BenchRow = {
  id: 'C10',
  name: 'request lines, headers, lengths and chunks that cannot be read, or can be read in two ways; pipelines – 400 in the words of the contract and nothing upstream, or exactly one request there each, in order',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const before = bench.samples.calls();
    for (const [name, bytes, status, code] of refusedRequests) {
      const { answers, rest } = await exchangeRaw(gateway.port, Buffer.from(bytes), 1);
      assert.equal(answers[0]?.status, status, name);
      assert.ok(answers[0].body.includes(`"code":"${code}"`), name);
      checkRaw(answers[0], '/v1/unknown', 'POST');
      assert.equal(rest.length, 0, name);
    }
    assert.equal(bench.samples.calls(), before);
    await runRawCases(bench, gateway, [...framingCases, ...pipelineCases]);
    await keepsOrder(gateway);
    return { cases: refusedRequests.length + framingCases.length + pipelineCases.length + 1, desyncs: 0 };
  },
};

const bodies: BenchRow = {
  id: 'C11',
  name: 'DELETE, OPTIONS and GET with a body, also chunked, and with a request in it – 400 or 405 and nothing upstream: a body is never taken for a request',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    await runRawCases(bench, gateway, bodyCases);
    return { cases: bodyCases.length, smuggled: 0 };
  },
};

/** What each method is answered with on a list, a record and a path that nobody knows. */
const METHODS: readonly (readonly [method: string, known: number, unknown: number])[] = [
  ['HEAD', 200, 404],
  ['OPTIONS', 204, 404],
  ['POST', 405, 404],
  ['PUT', 405, 404],
  ['PATCH', 405, 404],
  ['DELETE', 405, 404],
  ['TRACE', 405, 404],
  ['QUERY', 405, 404],
  ['PROPFIND', 405, 404],
  ['BREW', 405, 404],
  ['CONNECT', 405, 405],
  ['get', 405, 404],
];

const methods: BenchRow = {
  id: 'C12',
  name: 'every other method on the routes of v1, and on none – HEAD has the headers of GET; 204 or 405 with Allow; 404 for an unknown path; no call upstream',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const key = `X-API-Key: ${gateway.configuredKey}`;
    const paths = ['/v1/users', '/v1/users/user_3', '/v1/products'];
    const ask = async (method: string, path: string) => {
      const { answers } = await exchangeRaw(
        gateway.port,
        request(method, path, [key]),
        method === 'HEAD' ? 0 : 1,
      );
      return answers[0];
    };
    for (const [method, known, unknown] of METHODS) {
      if (method === 'HEAD') continue;
      const before = bench.samples.calls();
      for (const path of paths) {
        const answer = await ask(method, path);
        assert.equal(answer?.status, known, `${method} ${path}`);
        assert.equal(answer.headers['allow'], 'GET, HEAD, OPTIONS', `${method} ${path}`);
      }
      assert.equal((await ask(method, '/v2/users'))?.status, unknown, `${method} /v2/users`);
      assert.equal(bench.samples.calls(), before, method);
    }
    for (const path of paths) {
      const got = await gateway.ask(path, { key: gateway.configuredKey });
      const head = await gateway.ask(path, { key: gateway.configuredKey, method: 'HEAD' });
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'vary'])
        assert.equal(head.headers[name], got.headers[name], `${name} of HEAD ${path}`);
      assert.deepEqual([head.status, head.body], [200, '']);
    }
    return { cases: METHODS.length * (paths.length + 1), wrong: 0 };
  },
};

const protocols: BenchRow = {
  id: 'C14',
  name: 'Expect, upgrades to h2c and web sockets, HTTP/1.0, TLS and other protocols on the plain port – answered as HTTP/1.1 or refused with 400; an upgrade is never passed on',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    await runRawCases(bench, gateway, protocolCases);
    return { cases: protocolCases.length };
  },
};

/** What a client can do to the framing of requests. */
export const clientFraming: readonly BenchRow[] = [corpus, bodies, methods, protocols];
