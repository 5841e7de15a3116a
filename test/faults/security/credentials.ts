import assert from 'node:assert/strict';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { revokeKey } from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { createApiKeyCheck } from '../../../src/pipeline/stages/authentication/api-key-check.ts';
import { hashApiKey, parseApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { createJwksClient } from '../../../src/pipeline/stages/authentication/jwks-fetch.ts';
import { hostileTokens } from '../../support/hostile/tokens.ts';
import { request } from '../../support/client/raw-client.ts';
import {
  audience,
  claims,
  clock,
  createCheck,
  issuer,
  jwks,
  sign,
  verify,
} from '../../support/auth/token-issuer.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { BenchRow } from '../harness/row.ts';
import { checkRaw, exchangeRaw } from '../client/raw.ts';

/**
 * The issuer's clock stands still from the start of the run, and gateways go by the real one. It is set to a whole second, as
 * the tests that share it expect.
 */
const setClock = () => clock.advance(Math.floor(Date.now() / 1_000) * 1_000 - clock.now());

const MANY_WRONG = { limits: { failedCredentials: '1000000 per 60s' } };

/** Welch's t of two samples, without the slowest tenth of each, which is the machine's. */
function welch(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [left, right].map((all) => {
    const kept = [...all].sort((x, y) => x - y).slice(0, Math.floor(all.length * 0.9));
    const mean = kept.reduce((sum, one) => sum + one, 0) / kept.length;
    const variance = kept.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (kept.length - 1);
    return { mean, part: variance / kept.length };
  }) as [{ mean: number; part: number }, { mean: number; part: number }];
  return (a.mean - b.mean) / Math.sqrt(a.part + b.part);
}

const timing: BenchRow = {
  id: 'S1',
  name: 'keys guessed by the time that a refusal takes – a key that differs in its last character is refused in the time of one that differs in all',
  run(bench) {
    const pepper = new Secret('a-pepper-of-this-row-only');
    const own = 'a-key-of-the-company-itself-0123456789';
    const config = { id: 'company', hash: hashApiKey(pepper, own), label: '', permissions: [], tier: 't' };
    const check = createApiKeyCheck({
      ...{ pepper, configured: [config], clock: systemClock },
      ...{ tiers: new Set(['t']), fallbackTier: 't' },
    });
    const texts = { near: `${own.slice(0, -1)}x`, far: 'x'.repeat(own.length) };
    // A new text each time, as each request brings one: two that stay would be compared by where they lie in memory, too.
    // Node keeps joined and repeated texts in pieces, and joins these again for each hash.
    const received = (text: string) => Buffer.from(text).toString('latin1');
    const taken = { near: [] as number[], far: [] as number[] };
    for (let pair = 0; pair < 12_000; pair += 1)
      for (const name of pair % 2 === 0 ? (['near', 'far'] as const) : (['far', 'near'] as const)) {
        const text = received(texts[name]);
        const startedAt = process.hrtime.bigint();
        const result = check.configured({ text, digest: '', bearer: true });
        const ns = Number(process.hrtime.bigint() - startedAt);
        assert.equal(result.kind, 'unrecognised');
        // The first pairs run before the code is compiled.
        if (pair >= 2_000) taken[name].push(ns);
      }
    const t = Math.abs(welch(taken.near, taken.far));
    bench.atMost('t of Welch', t, 4.5);
    return Promise.resolve({ t });
  },
};

/** An issuer whose key set is answered as `state.answer` says. */
async function startIssuer(bench: FaultBench) {
  const state = { answer: 'good' };
  const upstream = await startUpstream(
    serving(() => {
      if (state.answer === 'silent') return undefined;
      if (state.answer === 'redirect') return { status: 302, headers: { Location: '/elsewhere' } };
      return {
        status: state.answer === 'down' ? 503 : 200,
        body: state.answer === 'good' ? jwks : state.answer,
      };
    }),
  );
  bench.own(upstream);
  const jwksUrl = `${upstream.origin}/keys`;
  return { state, upstream, auth: { jwt: { issuer, audience, jwksUrl, tier: 'bench' } } };
}

const tokens: BenchRow = {
  id: 'S3',
  name: 'some hundreds of tokens: alg none, HMAC by public keys, foreign keys, kids, crit, claims, signatures, forms – 401 with WWW-Authenticate, or 400 where it cannot stand in a header; none accepted',
  fast: true,
  async run(bench) {
    setClock();
    const { auth, upstream: issuerServer } = await startIssuer(bench);
    const gateway = await bench.gateway({ config: { auth, ...MANY_WRONG } });
    const ask = async (token: string) => {
      const bytes = request('GET', '/v1/users?limit=1', [`Authorization: Bearer ${token}`]);
      const { answers } = await exchangeRaw(gateway.port, Buffer.from(bytes), 1);
      return answers[0]!;
    };
    const startedAt = performance.now();
    assert.equal((await ask(await sign(claims()))).status, 200);
    const all = await hostileTokens();
    for (const [name, token] of all) {
      // HTTP cuts off the blanks behind a value, which leaves a good token.
      if (token.endsWith(' ')) continue;
      const answer = await ask(token);
      assert.ok([400, 401].includes(answer.status), `${name}: ${answer.status}`);
      checkRaw(answer, '/v1/users');
      if (answer.status === 401)
        assert.match(answer.headers['www-authenticate'] ?? '', /error="invalid_token"/);
    }
    assert.equal((await ask(await sign(claims({ sub: 'bob' })))).status, 200);
    // Unknown key ids are the caller's to invent: they have the issuer asked once in thirty seconds.
    const fetchesMax = 2 + Math.floor((performance.now() - startedAt) / 30_000);
    assert.ok(issuerServer.calls <= fetchesMax, `${issuerServer.calls} fetches`);
    return { tokens: all.length, accepted: 0, fetches: issuerServer.calls };
  },
};

/** Has the key set fetched anew, by a clock that is moved, from an issuer that fails in every way. */
async function outlivesIssuer(
  bench: FaultBench,
  url: string,
  state: { answer: string },
  issuerServer: ScriptedUpstream,
): Promise<void> {
  const jwksClient = createJwksClient(undefined);
  const check = createCheck({}, (_url, signal) => jwksClient.fetchJwks(url, signal), 86_400_000);
  const kindOf = async () => (await verify(await sign(claims()), check)).kind;
  assert.equal(await kindOf(), 'accepted');
  for (const answer of ['down', 'silent', 'redirect', '<h1>sorry</h1>', '{"keys":[]}', 'null', '{}']) {
    state.answer = answer;
    const before = issuerServer.calls;
    clock.advance(601_000);
    for (let n = 0; n < 3; n += 1) assert.equal(await kindOf(), 'accepted', answer);
    // The fetch before this one may still be under way.
    await bench.until(async () => (await kindOf()) === 'accepted' && issuerServer.calls > before);
    assert.equal(await kindOf(), 'accepted', answer);
  }
  state.answer = 'good';
  jwksClient.close();
}

const issuers: BenchRow = {
  id: 'S4',
  name: 'the key set is down, slow, HTML, empty, redirected; a flood of unknown key ids – tokens go on being accepted by the last good keys; 503 only where there never were any; never 401',
  async run(bench) {
    setClock();
    const { auth, state, upstream: issuerServer } = await startIssuer(bench);
    const gateway = await bench.gateway({ config: { auth, ...MANY_WRONG } });
    const statusOf = async (sub: string) => {
      const key = await sign(claims({ sub }));
      return (await gateway.ask('/v1/users?limit=1', { key })).status;
    };
    state.answer = 'down';
    assert.equal(await statusOf('early'), 503);
    state.answer = 'good';
    await bench.until(async () => (await statusOf('first')) === 200, 15_000, 250);
    await outlivesIssuer(bench, auth.jwt.jwksUrl, state, issuerServer);
    const before = issuerServer.calls;
    for (let n = 0; n < 200; n += 1) {
      const key = await sign(claims(), 'ES256', { kid: `unknown-${n}` });
      assert.equal((await gateway.ask('/v1/users?limit=1', { key })).status, 401);
    }
    assert.ok(issuerServer.calls - before <= 1);
    return { 'wrong 401': 0, fetches: issuerServer.calls };
  },
};

const revocation: BenchRow = {
  id: 'S10',
  name: 'a key is revoked while it is used on two processes – refused with 401 everywhere within a second',
  async run(bench) {
    const redis = await bench.redis();
    const config = { redis: { url: redis.url } };
    const gateways = [await bench.gateway({ config, keys: 2 }), await bench.gateway({ config, keys: 0 })];
    const key = gateways[0]!.storedKeys[1]!;
    bench.secret(key);
    // Nothing but its own address is a right of a key that is about to be revoked.
    const statuses = () =>
      Promise.all(
        gateways.map(
          async ({ url }) => (await fetch(`${url}/v1/users`, { headers: { 'x-api-key': key } })).status,
        ),
      );
    assert.deepEqual(await statuses(), [200, 200]);
    await gateways[0]!.withStored(({ store }) => revokeKey(store, parseApiKey(key)!.id, Date.now()));
    const ms = await bench.until(async () => (await statuses()).every((status) => status === 401));
    bench.atMost('ms until it was refused everywhere', ms, 1_000);
    await sleep(50);
    assert.deepEqual(await statuses(), [401, 401]);
    return { 'revoked ms': ms };
  },
};

const oddKeySets: BenchRow = {
  id: 'S25',
  name: 'an entry of the key set is no object; no entry is one – tokens of the other keys are accepted, and the log warns; 503 only where there is no key at all',
  async run(bench) {
    setClock();
    const { auth, state } = await startIssuer(bench);
    const gateway = await bench.gateway({ config: { auth, ...MANY_WRONG } });
    const statusOf = async (sub: string) =>
      (await gateway.ask('/v1/users?limit=1', { key: await sign(claims({ sub })) })).status;
    state.answer = '{"keys":[null,5]}';
    assert.equal(await statusOf('before'), 503);
    const { keys } = JSON.parse(JSON.stringify(jwks)) as { keys: object[] };
    state.answer = JSON.stringify({ keys: [null, 5, 'x', [], { kty: 'PQC' }, ...keys] });
    await bench.until(async () => (await statusOf('after')) === 200, 15_000, 250);
    await bench.until(() => gateway.log().some(({ ignored }) => ignored === 4));
    return { 'key sets': 2, right: 2 };
  },
};

/** What can be tried with credentials. */
export const securityCredentials: readonly BenchRow[] = [timing, tokens, issuers, revocation, oddKeySets];
