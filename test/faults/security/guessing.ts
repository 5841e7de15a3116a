import assert from 'node:assert/strict';
import { newApiKey, newKeyId, parseApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { startIssuer } from '../../support/auth/issuer-server.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import type { BenchRow } from '../harness/row.ts';
import type { Answer } from '../harness/load/traffic.ts';

const PATH = '/v1/users?limit=1';
/** Lets a row speak for many addresses. */
const BALANCED = { listen: { trustProxy: ['127.0.0.1/32'] } };

const from = (n: number) => ({ 'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` });

/** What a Redis has run so far: look-ups of keys, counts of limits and failures, and everything. */
function commandsOf(gateway: FaultGateway) {
  return gateway.withStored(async ({ client }) => {
    const stats = await client.info('all');
    const count = (pattern: string) => Number(new RegExp(`${pattern}(\\d+)`).exec(stats)?.[1] ?? 0);
    const scripts = count('cmdstat_eval:calls=') + count('cmdstat_evalsha:calls=');
    return { lookups: count('cmdstat_get:calls='), scripts, all: count('total_commands_processed:') };
  });
}

/** A gateway on a Redis of its own, whose cache asks nothing of that Redis, and how its commands grow. */
async function startCounted(bench: FaultBench, config: object = {}) {
  const redis = await bench.redis();
  const cacheRedis = await bench.redis();
  const gateway = await bench.gateway({
    config: { ...BALANCED, ...config, redis: { url: redis.url, cache: { url: cacheRedis.url } } },
    keys: 2,
  });
  const before = await commandsOf(gateway);
  const startedAt = performance.now();
  const grown = async () => {
    const { lookups, scripts } = await commandsOf(gateway);
    return { lookups: lookups - before.lookups, scripts: scripts - before.scripts };
  };
  return { gateway, grown, seconds: () => (performance.now() - startedAt) / 1_000 };
}

/** Asks `count` times, sixteen at a time; how often each status was met. */
async function flood(count: number, ask: (n: number) => Promise<Answer>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const caller = async () => {
    for (let n = next++; n < count; n = next++) {
      const answer = await ask(n);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (answer.status === 429) assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d?$/);
    }
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  return statuses;
}

const guessing: BenchRow = {
  id: 'S9',
  name: 'two thousand invented keys from one address, and two thousand secrets for one key – 401 up to the limit, then 429 before Redis is asked; who is known there is served all the while',
  async run(bench) {
    const redis = await bench.redis();
    const gateway = await bench.gateway({ config: { redis: { url: redis.url } } });
    const [good = ''] = gateway.storedKeys;
    assert.equal((await gateway.ask('/v1/users?limit=1')).status, 200);
    const commands = () =>
      gateway.withStored(async ({ client }) =>
        Number(/total_commands_processed:(\d+)/.exec(await client.info('stats'))?.[1]),
      );
    const id = parseApiKey(good)!.id;
    const before = await commands();
    const statuses = { 401: 0, 429: 0 } as Record<number, number>;
    const served: number[] = [];
    for (let n = 0; n < 4_000; n += 1) {
      const key = newApiKey(n % 2 === 0 ? newKeyId() : id);
      const { status } = await gateway.ask('/v1/users?limit=1', { key });
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (n % 20 > 0) continue;
      const answer = await gateway.ask('/v1/users?limit=1');
      assert.equal(answer.status, 200);
      served.push(answer.ms);
    }
    assert.deepEqual(Object.keys(statuses), ['401', '429']);
    assert.ok(statuses[401]! <= 121, `${statuses[401]} keys were looked at`);
    const perKey = ((await commands()) - before) / 4_000;
    bench.atMost('Redis commands per wrong key', perKey, 0.5);
    const p99 = served.sort((a, b) => a - b)[Math.floor(served.length * 0.99)] ?? 0;
    return { 'looked at': statuses[401]!, 'Redis commands per key': perKey, 'good p99 ms': p99 };
  },
};

const oneKey: BenchRow = {
  id: 'S16',
  name: 'two thousand secrets for one key, each from another address – 401 up to the limit, then 429 at no cost to Redis; the key is served from every address, new ones too',
  async run(bench) {
    const { gateway, grown, seconds } = await startCounted(bench);
    // A key that this process meets for the first time behind the flood.
    const key = gateway.storedKeys[1]!;
    const id = parseApiKey(key)!.id;
    let served = 0;
    const statuses = await flood(2_000, async (n) => {
      if (n >= 500 && n % 10 === 0) {
        assert.equal((await gateway.ask(PATH, { key, headers: from(10_000 + n) })).status, 200);
        served += 1;
      }
      return gateway.ask(PATH, { key: newApiKey(id), headers: from(n) });
    });
    assert.deepEqual(Object.keys(statuses), ['401', '429']);
    // Sixteen were under way when the window was spent.
    assert.ok(statuses[401]! <= 136, `${statuses[401]} secrets were looked at`);
    const { lookups, scripts } = await grown();
    assert.ok(lookups <= 2 + seconds() / 0.4, `${lookups} look-ups in ${seconds()} s`);
    return { 'looked at': statuses[401]!, lookups, scripts, 'valid served %': 100, valid: served };
  },
};

const manyIds: BenchRow = {
  id: 'S17',
  name: 'six thousand invented keys, each from another address; then from addresses that have failed – at most 1,000 look-ups at once and 250 a second of either kind, then 429; keys seen before are served',
  async run(bench) {
    const { gateway, grown, seconds } = await startCounted(bench);
    const [known, newcomer] = gateway.storedKeys as [string, string];
    assert.equal((await gateway.ask(PATH, { key: known })).status, 200);
    let served = 0;
    const invent = (address: number) =>
      gateway.ask(PATH, { key: newApiKey(newKeyId()), headers: from(address) });
    const guess = async (n: number, address: number) => {
      if (n % 20 === 0)
        for (const key of [known, gateway.configuredKey]) {
          assert.equal((await gateway.ask(PATH, { key, headers: from(n) })).status, 200);
          served += 1;
        }
      return invent(address);
    };
    const again = await flood(3_000, (n) => guess(n, n % 50));
    // A caller that has not failed has look-ups of its own.
    assert.equal((await gateway.ask(PATH, { key: newcomer, headers: from(99_999) })).status, 200);
    const first = await flood(3_000, (n) => guess(n, 1_000 + n));
    for (const statuses of [again, first]) assert.deepEqual(Object.keys(statuses), ['401', '429']);
    const { lookups, scripts } = await grown();
    const bound = 2_000 + 2 * 250 * seconds();
    // Those under way, and the checks of the key that is known.
    assert.ok(lookups <= bound + 32 + seconds() / 0.4, `${lookups} look-ups in ${seconds()} s`);
    return {
      lookups,
      scripts,
      bound: Math.round(bound),
      'valid served %': 100,
      valid: served,
      'newcomers %': 100,
    };
  },
};

const sharedAddress: BenchRow = {
  id: 'S18',
  name: 'keys and tokens guessed behind the address that others share – tokens just refreshed, keys of the configuration and keys seen before are served; Redis is not asked',
  async run(bench) {
    const issuer = bench.own(await startIssuer());
    const jwt = { issuer: issuer.issuer, audience: issuer.audience, jwksUrl: issuer.jwksUrl, tier: 'bench' };
    const { gateway, grown } = await startCounted(bench, { auth: { jwt } });
    const [known] = gateway.storedKeys as [string];
    assert.equal((await gateway.ask(PATH, { key: known, headers: from(7) })).status, 200);
    const token = (n: number) => issuer.token('ES256', { sub: 'alice', jti: String(n) });
    const forged = `${(await token(0)).split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`;
    const guess = (n: number) =>
      gateway.ask(PATH, { key: n % 2 === 0 ? newApiKey(newKeyId()) : forged, headers: from(7) });
    await flood(200, guess);
    // Only the checks of the known key are left.
    await gateway.ask(PATH, { key: known, headers: from(7) });
    const before = (await grown()).lookups;
    assert.equal((await guess(0)).status, 429);
    assert.equal((await grown()).lookups, before);
    let served = 0;
    await flood(400, async (n) => {
      if (n % 4 === 0) {
        const key = [known, gateway.configuredKey][(n / 4) % 5] ?? (await token(n));
        assert.equal((await gateway.ask(PATH, { key, headers: from(7) })).status, 200);
        served += 1;
      }
      return gateway.ask(PATH, { key: newApiKey(newKeyId()), headers: from(7) });
    });
    return { guesses: 600, 'lookups once spent': 0, 'valid served %': 100, valid: served };
  },
};

/** What can be tried to find a key. */
export const securityGuessing: readonly BenchRow[] = [guessing, oneKey, manyIds, sharedAddress];
