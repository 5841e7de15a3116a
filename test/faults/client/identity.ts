import assert from 'node:assert/strict';
import { newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { HOST, request, requestOf } from '../../support/client/raw-client.ts';
import type { BenchRow } from '../harness/row.ts';
import { checkRaw, exchangeRaw } from './raw.ts';

const REQUEST_ID = /^req_[A-Za-z0-9_-]{22}$/;

/** What a caller may send as its own id of the request. */
const IDS: readonly (readonly string[])[] = [
  ['mine-12345678'],
  ['req_aaaaaaaaaaaaaaaaaaaaaa'],
  ['"><script>alert(1)</script>'],
  ['a'.repeat(12_000)],
  ['\xff\xfe'],
  ['{"level":60}'],
  ['one', 'two'],
  [''],
  ['${jndi:ldap://127.0.0.1:9/a}'],
  ['a\tb'],
];

const requestIds: BenchRow = {
  id: 'C8',
  name: "ids of the caller's own: markup, 12 KB, bytes beyond ASCII, two of them – every answer has an id of Portico's own in header, body and log; none of the caller's is reflected",
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const ours = new Set<string>();
    for (const values of IDS) {
      const lines = values.map((value) => `X-Request-Id: ${value}`);
      const { answers } = await exchangeRaw(
        gateway.port,
        Buffer.from(request('GET', '/v1/users', lines), 'latin1'),
        1,
      );
      const [answer] = answers;
      assert.equal(answer?.status, 401);
      checkRaw(answer, '/v1/users');
      const id = answer.headers['x-request-id'] ?? '';
      assert.match(id, REQUEST_ID);
      assert.ok(!values.includes(id));
      assert.ok(answer.body.includes(`"request_id":"${id}"`));
      ours.add(id);
    }
    assert.equal(ours.size, IDS.length);
    await bench.until(() => [...ours].every((id) => gateway.log().some(({ requestId }) => requestId === id)));
    return { cases: IDS.length, reflected: 0 };
  },
};

/** Ways to say that one is somebody else. */
const spoofs = (n: number): Readonly<Record<string, string>> => {
  const address = `198.51.${Math.floor(n / 250)}.${n % 250}`;
  return {
    'x-forwarded-for': address,
    forwarded: `for=${address}`,
    'x-real-ip': address,
    'true-client-ip': address,
    'cf-connecting-ip': address,
    'x-forwarded-host': `h${n}.example`,
  };
};

const addresses: BenchRow = {
  id: 'C9',
  name: 'a thousand addresses claimed in X-Forwarded-For, Forwarded, X-Real-IP and others – counted as the one address that they come from: no request more than the limit',
  async run(bench) {
    const LIMIT = 20;
    const gateway = await bench.gateway({
      config: {
        resources: { users: { public: true } },
        limits: { tiers: { crowd: { windows: [`${LIMIT} per 60s`] } }, anonymousTier: 'crowd' },
      },
    });
    let admitted = 0;
    for (let n = 0; n < 1_000; n += 1) {
      const { status } = await gateway.ask('/v1/users?limit=1', { key: null, headers: spoofs(n) });
      assert.ok(status === 200 || status === 429, `status ${status}`);
      if (status === 200) admitted += 1;
    }
    assert.equal(admitted, LIMIT);
    return { asked: 1_000, beyond: admitted - LIMIT };
  },
};

const credentials: BenchRow = {
  id: 'C15',
  name: 'several credentials, one in the query, odd schemes, tokens of 12 KB, cookies – 401 without an echo of it; two that differ are 401; one in the query is none',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const good = gateway.configuredKey;
    const other = newApiKey(newKeyId());
    bench.secret(other);
    const wrong: (readonly string[])[] = [
      [],
      [`Authorization: Bearer ${good}`, `X-API-Key: ${other}`],
      [`X-API-Key: ${good}`, `X-API-Key: ${other}`],
      [`Authorization: Bearer ${good}`, `Authorization: Bearer ${other}`],
      [`Authorization: Bearer ${good}`, 'Authorization: Basic YTpi'],
      [`X-API-Key: ${good}, ${good}`],
      [`Authorization: Basic ${Buffer.from(`:${good}`).toString('base64')}`],
      [`Authorization: ${good}`],
      [`Authorization: Bearer`],
      [`Authorization: Bearer  `],
      [`Authorization: Bearer ${good} ${good}`],
      [`Authorization: Bearer "${good}"`],
      [`Authorization: Token ${good}`],
      [`Authorization: Bearer\t${good}x`],
      [`Authorization: Bearer ${'a'.repeat(12_000)}`],
      [`X-API-Key: ${'a'.repeat(12_000)}`],
      [`X-API-Key: ${good.slice(0, -1)}`],
      [`X-API-Key: ${good}a`],
      [`X-API-Key: ${good.toUpperCase()}`],
      [`Cookie: api_key=${good}; X-API-Key=${good}`],
      [`Proxy-Authorization: Bearer ${good}`],
      [`X_API_Key: ${good}`],
    ];
    const targets = ['api_key', 'apikey', 'key', 'access_token', 'X-API-Key', 'token'].map(
      (name) => `/v1/users?${name}=${good}`,
    );
    const asks = [
      ...wrong.map((lines) => request('GET', '/v1/users', lines)),
      ...targets.map((target) => request('GET', target)),
    ];
    const before = bench.samples.calls();
    for (const bytes of asks) {
      const { answers } = await exchangeRaw(gateway.port, bytes, 1);
      const [answer] = answers;
      assert.equal(answer?.status, 401, bytes.slice(0, 120));
      assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer realm="portico"/);
      checkRaw(answer, '/v1/users');
      assert.ok(!answer.body.includes(good) && !JSON.stringify(answer.headers).includes(good));
    }
    assert.equal(bench.samples.calls(), before);
    for (const line of [
      `authorization: bEaReR ${good}`,
      `Authorization: Bearer   ${good}`,
      `x-api-key:${good}`,
    ]) {
      const { answers } = await exchangeRaw(gateway.port, requestOf('GET /v1/users HTTP/1.1', HOST, line), 1);
      assert.equal(answers[0]?.status, 200, line.slice(0, 24));
    }
    return { cases: asks.length + 3, 'accepted wrongly': 0, echoed: 0 };
  },
};

/** Who a client says that it is. */
export const clientIdentity: readonly BenchRow[] = [requestIds, addresses, credentials];
