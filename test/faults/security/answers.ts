import assert from 'node:assert/strict';
import { startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { forwardingTo } from '../../support/upstream/scripts.ts';
import { newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { request } from '../../support/client/raw-client.ts';
import { storedHashUnder } from '../harness/secrets.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { BenchRow } from '../harness/row.ts';
import { checkRaw, exchangeRaw } from '../client/raw.ts';

/** Stands between a gateway and the sample users: it keeps what was asked, and fails when it is told to. */
async function startSpy(bench: FaultBench) {
  const state = { fails: false };
  const failure = { status: 500, headers: { 'Content-Type': 'text/plain' }, body: 'sorry' };
  const script = forwardingTo(bench.samples.env['USERS_URL']!, () => (state.fails ? failure : 'forward'));
  const { origin, requests } = bench.own(await startUpstream(script));
  const asked = () =>
    requests.map(({ method, target, headers }) => `${method} ${target} ${JSON.stringify(headers)}`);
  return { state, asked, env: { USERS_URL: origin } };
}

/** Of the gateway that has keys of its own. */
const PEPPER = 'a-pepper-of-this-row-only';

const MARK = 'mark-of-the-caller';

const leaks: BenchRow = {
  id: 'S2',
  name: 'secrets in every credential, header, query, cookie and reply, while services fail – none of them in any log line, answer or metric',
  async run(bench) {
    const spy = await startSpy(bench);
    const gateway = await bench.gateway({ env: spy.env });
    const wrong = newApiKey(newKeyId());
    for (const secret of [wrong, MARK]) bench.secret(secret);
    const headers = {
      cookie: `session=${MARK}`,
      'x-secret': MARK,
      referer: `http://x/?t=${MARK}`,
      'user-agent': MARK,
    };
    let count = 0;
    for (const fails of [false, true])
      for (const key of [null, gateway.configuredKey, wrong, `${gateway.configuredKey}x`])
        for (const path of [
          '/v1/users?limit=2',
          `/v1/users?token=${MARK}&limit=3`,
          '/v1/users/user_3',
          '/legacy/orders',
          `/v9/${MARK}`,
        ]) {
          spy.state.fails = fails;
          await gateway.ask(path, { key, headers });
          count += 1;
        }
    // What the rows promise is checked behind each: the harness looks for every secret in every output.
    return { requests: count, found: 0 };
  },
};

const visibility: BenchRow = {
  id: 'S5',
  name: 'callers with other permissions ask for what stands in the cache – 401 or 403 with no byte of it, however warm the cache is',
  async run(bench) {
    const key = (...permissions: readonly string[]) => {
      const id = newKeyId();
      const text = newApiKey(id);
      bench.secret(text);
      return { text, record: { id, hash: storedHashUnder(PEPPER, text), permissions, tier: 'bench' } };
    };
    const keys = [key(), key('users:read'), key('products:read')];
    const gateway = await bench.gateway({
      env: { PORTICO_KEY_PEPPER: PEPPER },
      config: { auth: { apiKeys: { keys: keys.map(({ record }) => record) } } },
    });
    const paths = [
      '/v1/users',
      '/v1/users?limit=5&sort=name',
      '/v1/users/user_3',
      '/v1/products',
      '/v1/products?limit=3',
    ];
    let answers = 0;
    for (let round = 0; round < 3; round += 1)
      for (const path of paths)
        for (const { text, record } of [...keys, ...keys]) {
          const needed = path.startsWith('/v1/users') ? 'users:read' : 'products:read';
          const answer = await gateway.ask(path, { key: text });
          const may = record.permissions.includes(needed);
          assert.equal(answer.status, may ? 200 : 403, `${record.id} ${path}`);
          if (!may)
            assert.ok(!answer.body.includes('"data"') && !('etag' in answer.headers), `${record.id} ${path}`);
          answers += 1;
        }
    return { answers, leaks: 0 };
  },
};

/** Headers that change an answer in gateways that forget to have them in their keys. */
const UNKEYED: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-proto': 'http' },
  { 'x-forwarded-prefix': '/evil' },
  { 'x-original-url': '/admin' },
  { 'x-rewrite-url': '/admin' },
  { 'x-http-method-override': 'DELETE' },
  { 'x-host': 'evil.example' },
  { host: 'evil.example' },
  { 'accept-language': 'de' },
  { accept: 'text/html' },
  { 'accept-charset': 'utf-16' },
  { cookie: 'lang=de' },
  { range: 'bytes=0-10' },
  { 'x-poison': '<script>' },
  { origin: 'https://evil.example' },
];

const poisoning: BenchRow = {
  id: 'S6',
  name: 'headers, unknown parameters and spellings that no key of the cache holds – the same bytes for everybody; nothing of it reaches the legacy service',
  async run(bench) {
    const spy = await startSpy(bench);
    const gateway = await bench.gateway({ env: spy.env });
    const key = gateway.configuredKey;
    let variants = 0;
    for (const [index, headers] of UNKEYED.entries()) {
      // The variant comes first, so that it is what would be kept.
      const path = `/v1/users?limit=${index + 2}&sort=name`;
      const poisoned = await gateway.ask(`${path}&evil=${MARK}&Sort=email&limit[]=9`, { key, headers });
      const plain = await gateway.ask(path, { key });
      const spelled = await gateway.ask(`/v1/users?so%72t=n%61me&x=1&limit=${index + 2}`, { key });
      for (const answer of [poisoned, spelled]) {
        assert.deepEqual(
          [answer.status, answer.body, answer.headers['etag']],
          [200, plain.body, plain.headers['etag']],
        );
        assert.ok(!JSON.stringify(answer.headers).includes('evil'));
        variants += 1;
      }
    }
    const foreign = spy
      .asked()
      .filter((one) => /evil|mark-of|poison|x-forwarded|override|x-original/.test(one));
    assert.deepEqual(foreign, []);
    return { variants, differences: 0 };
  },
};

const errors: BenchRow = {
  id: 'S7',
  name: 'a legacy service that fails for a moment, and refused requests, before good ones – no error is kept: the first answer after the failure is the truth',
  async run(bench) {
    const spy = await startSpy(bench);
    const gateway = await bench.gateway({ env: spy.env });
    const key = gateway.configuredKey;
    let asked = 0;
    for (let round = 0; round < 5; round += 1) {
      const path = `/v1/users?limit=${round + 2}`;
      spy.state.fails = true;
      const failed = await gateway.ask(path, { key });
      assert.ok(failed.status >= 500, `status ${failed.status}`);
      assert.equal(failed.headers['cache-control'], 'no-store');
      assert.equal((await gateway.ask(path, { key: null })).status, 401);
      spy.state.fails = false;
      await bench.until(
        async () => {
          asked += 1;
          return (await gateway.ask(path, { key })).status === 200;
        },
        5_000,
        50,
      );
    }
    return { asked };
  },
};

const exposed: BenchRow = {
  id: 'S8',
  name: "the operator's paths, and others that tell of a server, asked for on the public port – 404 in the words of the contract, with the headers of security and none of the server",
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const paths = [
      ...[
        '/',
        '/livez',
        '/readyz',
        '/healthz',
        '/health',
        '/metrics',
        '/api/quality',
        '/status',
        '/admin',
        '/debug',
      ],
      ...[
        '/api/cache/purge',
        '/api/cache/purge?tag=*',
        '/.env',
        '/.git/config',
        '/config/portico.yaml',
        '/package.json',
      ],
      ...[
        '/server-status',
        '/actuator/env',
        '/v1',
        '/v1/',
        '/v1/admin',
        '/v2/users',
        '/swagger.json',
        '/favicon.ico',
      ],
    ];
    for (const path of paths)
      for (const method of ['GET', 'POST']) {
        const bytes = request(method, path, [`X-API-Key: ${gateway.configuredKey}`]);
        const [answer] = (await exchangeRaw(gateway.port, bytes, 1)).answers;
        assert.equal(answer?.status, 404, `${method} ${path}`);
        checkRaw(answer, '/v1/unknown', method);
        for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'set-cookie', 'via'])
          assert.ok(!(name in answer.headers), `${name} in the answer to ${method} ${path}`);
        assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      }
    assert.match(gateway.adminUrl, /^http:\/\/127\.0\.0\.1:/);
    return { paths: paths.length, exposed: 0 };
  },
};

/** What answers could give away. */
export const securityAnswers: readonly BenchRow[] = [leaks, visibility, poisoning, errors, exposed];
