import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { FaultBench } from '../harness/bench.ts';
import { assertRefused } from '../harness/errors.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import { decidedByRedis } from '../harness/harm/redis-harm.ts';
import type { BenchRow } from '../harness/row.ts';

/** Longer than the process answers by itself (`cache.localSeconds` of the shared place). */
const LOCAL_MS = 1_100;

/** Asks until it was asked for what it has not in this process any more; every answer must be 200. */
async function askAll(gateway: FaultGateway, paths: readonly string[]): Promise<void> {
  for (const path of paths) assert.equal((await gateway.ask(path)).status, 200, path);
}

async function keysLike(client: Redis, pattern: string): Promise<readonly string[]> {
  return (await client.keys(pattern)).sort();
}

const garbage: BenchRow = {
  id: 'R13',
  name: 'values of the cache are garbage, of another shape, cut short, or of another answer – 200 with the right bytes: each is a miss, counted, and written anew',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const paths = Array.from({ length: 8 }, (_, at) => `/v1/users?limit=${at + 11}&page=2`);
    const poisoned = await gateway.withStored(async ({ client }) => {
      const before = new Set(await keysLike(client, 'portico:cache:*:value'));
      await askAll(gateway, paths);
      let fresh: readonly string[] = [];
      await bench.until(async () => {
        fresh = (await keysLike(client, 'portico:cache:*:value')).filter((key) => !before.has(key));
        return fresh.length === paths.length;
      });
      const values = await Promise.all(fresh.map((key) => client.getBuffer(key)));
      const foreign = values[0]!;
      const wrong = [
        ...['', '{"data":[],"meta":{"total":0,"page":2,"limit":11}}', '[1,2', bench.secretMarker],
        ...[
          randomBytes(500),
          foreign.subarray(0, foreign.length / 2),
          foreign,
          Buffer.concat([foreign, foreign]),
        ],
      ];
      await Promise.all(
        fresh.map((key, at) => client.set(key, wrong[(at + 1) % wrong.length]!, 'PX', 60_000)),
      );
      return fresh.length;
    });
    await bench.sleep(LOCAL_MS);
    const damaged = await gateway.counted('portico_cache_events_total', 'result="damaged"');
    await askAll(gateway, paths);
    const found = (await gateway.counted('portico_cache_events_total', 'result="damaged"')) - damaged;
    return { poisoned, 'told damaged': found };
  },
};

/** Puts values of another type in the place of whatever stands under these keys. */
async function retype(client: Redis, keys: readonly string[]): Promise<number> {
  for (const key of keys) {
    const isList = (await client.type(key)) === 'list';
    await client.del(key);
    await (isList ? client.set(key, 'a text') : client.lpush(key, 'a list'));
  }
  return keys.length;
}

async function untilServed(bench: FaultBench, gateway: FaultGateway, key: string): Promise<number> {
  return bench.until(async () => (await gateway.ask('/v1/users/user_3', { key })).status === 200);
}

const wrongType: BenchRow = {
  id: 'R14',
  name: 'values of the wrong type, everywhere – 200, and whatever can be made anew is; a key whose record cannot be read is 503 upstream_unavailable, never 401',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const { key, record } = bench.mint();
    const paths = ['/v1/users?limit=9&page=3', '/v1/users?sort=-name&limit=3', '/v1/products?min_price=5'];
    await askAll(gateway, paths);
    return gateway.withStored(async ({ client, store, keys }) => {
      await store.create(record);
      await untilServed(bench, gateway, key);
      const names = (await client.keys('portico:*')).filter((name) => !name.includes('api-key'));
      const retyped = await retype(client, [...names, keys.apiKey(record.id)]);
      await bench.sleep(LOCAL_MS);
      assertRefused(await gateway.ask('/v1/users', { key, entitled: true }), 503, 'upstream_unavailable');
      await askAll(gateway, paths);
      const byRedis = await decidedByRedis(gateway);
      // Redis counts limits again.
      await bench.until(async () => {
        await askAll(gateway, paths);
        return (await decidedByRedis(gateway)) > byRedis;
      });
      const healed = (await decidedByRedis(gateway)) - byRedis;
      await client.del(keys.apiKey(record.id));
      await store.create(record);
      const servedMs = await untilServed(bench, gateway, key);
      const purges = await client.type(keys.purges('head'));
      assert.notEqual(purges, 'list', 'purges are told again');
      return {
        retyped,
        errors: 0,
        'by Redis again': healed,
        'key back ms': servedMs,
      };
    });
  },
};

const scriptFlush: BenchRow = {
  id: 'R16',
  name: 'SCRIPT FLUSH – 200: a script that Redis has forgotten is sent again',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    await askAll(gateway, ['/v1/users?limit=3']);
    const alone = () => gateway.counted('portico_limiter_decisions_total', 'by="local"');
    const [before, byRedis] = [await alone(), await decidedByRedis(gateway)];
    await gateway.withStored(({ client }) => client.script('FLUSH'));
    await bench.sleep(600);
    await askAll(gateway, ['/v1/users?limit=4', '/v1/users?limit=5']);
    const counted = (await alone()) - before;
    bench.atMost('decisions of this process alone', counted, 0);
    return { errors: 0, 'by Redis': (await decidedByRedis(gateway)) - byRedis, 'by this process': counted };
  },
};

const stampede: BenchRow = {
  id: 'R17',
  name: 'an answer ends while 500 callers of two processes ask for it – 200: one call of the source, however many ask',
  async run(bench) {
    const redis = await bench.redis();
    const config = { redis: { url: redis.url }, resources: { users: { cache: { fresh: '1s' } } } };
    const fleet = [await bench.gateway({ config }), await bench.gateway({ config, keys: 1 })];
    const stamp = async () => {
      const before = bench.samples.calls();
      const asked = fleet.flatMap((gateway) =>
        Array.from({ length: 250 }, () => gateway.ask('/v1/users?limit=17&page=2')),
      );
      for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
      await bench.sleep(200);
      return bench.samples.calls() - before;
    };
    const cold = await stamp();
    await bench.sleep(1_100);
    const ended = await stamp();
    assert.ok(cold <= fleet.length && ended <= fleet.length, `${cold} and ${ended} calls`);
    return { 'calls cold': cold, 'calls at the end': ended };
  },
};

/** What stands in Redis is not what Portico put there, or ends. */
export const redisDataRows: readonly BenchRow[] = [garbage, wrongType, scriptFlush, stampede];
