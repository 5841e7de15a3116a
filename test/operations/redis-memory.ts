import assert from 'node:assert/strict';
import { systemClock } from '../../src/kernel/clock.ts';
import { createCache } from '../../src/store/cache/cache.ts';
import type { CacheEntry } from '../../src/store/cache/cache-entry.ts';
import { createLocalPurges } from '../../src/store/cache/purges.ts';
import { createRedisKeys } from '../../src/store/redis/redis-keys.ts';
import { createRedis } from '../../src/store/redis/redis.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { offer } from '../faults/harness/load/offer.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { startWithManyUsers, usersKept } from './harness/many-users.ts';

/** What config/docs/operate.md says: the bytes of Redis that an answer takes at most. */
const takes = (bodyBytes: number, records: number) => (bodyBytes + 30 * records + 400) * 1.25;
/** Redis keeps a part of what has ended for a moment, and its table of keys grows by doubling. */
const SLACK = 1.5;
/** Redis deletes what has ended some seconds late where it is busy: an answer must live much longer than that. */
const FRESH_SECONDS = 10;
const PER_SECOND = 5_000;
const SECONDS = 60;
const LONG_SECONDS = 600;
const CONNECTIONS = 64;
const RECORDS = 5;

/** A gateway on a Redis, with what that holds. */
async function open(bench: FaultBench, fresh: string) {
  const redis = await bench.redis();
  const config = { redis: { url: redis.url }, resources: usersKept(fresh) };
  const gateway = await startWithManyUsers(bench, config);
  const held = () =>
    gateway.withStored(async ({ client }) => {
      const usedBytes = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
      return { keys: await client.dbsize(), usedBytes };
    });
  return { gateway, held };
}

/** How many bytes of Redis each of many distinct answers with so many records takes, and how long its body is. */
async function measure(bench: FaultBench, records: number) {
  const { gateway, held } = await open(bench, '600s');
  const count = 3_000;
  const ask = (page: number) => gateway.ask(`/v1/users?limit=${records}&page=${page}`);
  const { body } = await ask(1);
  const before = await held();
  for (let page = 2; page <= count; page += 50)
    await Promise.all(Array.from({ length: 50 }, (_, at) => ask(page + at)));
  await bench.until(async () => (await held()).keys >= before.keys + count - 1);
  const after = await held();
  const keys = (after.keys - before.keys) / count;
  const bytes = (after.usedBytes - before.usedBytes) / count;
  return {
    bodyBytes: body.length,
    bytes,
    keys,
    isWithin: bytes <= takes(body.length, records) && keys < 1.05,
  };
}

const perAnswer: BenchRow = {
  id: 'redis-memory-1',
  name: 'an answer takes one key of Redis, and little beside its own bytes',
  async run(bench) {
    const [one, fifty] = [await measure(bench, 1), await measure(bench, 50)];
    return promised(one.isWithin && fifty.isWithin, {
      'body of 1 record': one.bodyBytes,
      'in Redis': one.bytes,
      'body of 50 records': fifty.bodyBytes,
      'in Redis, too': fifty.bytes,
      'keys per answer': one.keys,
    });
  },
};

const bounded: BenchRow = {
  id: 'redis-memory-2',
  name: 'minutes of distinct misses, 5,000 a second or what the machine gives, stay within the bound of the sizing table',
  async run(bench) {
    const { gateway, held } = await open(bench, `${FRESH_SECONDS}s`);
    const { body } = await gateway.ask(`/v1/users?limit=${RECORDS}&page=1`);
    const seconds = bench.long ? LONG_SECONDS : SECONDS;
    const before = await held();
    const state = { over: false, keys: 0, usedBytes: 0 };
    async function watch(): Promise<void> {
      while (!state.over) {
        const { keys, usedBytes } = await held();
        [state.keys, state.usedBytes] = [Math.max(state.keys, keys), Math.max(state.usedBytes, usedBytes)];
        await bench.sleep(1_000);
      }
    }
    const watching = watch();
    const met = await offer({
      ports: [gateway.port],
      request: `GET /v1/users?limit=${RECORDS}&page={new} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.configuredKey}\r\n\r\n`,
      ...{ perSecond: PER_SECOND, seconds, warmSeconds: 0, connections: CONNECTIONS, obeys: false },
    });
    state.over = true;
    await watching;
    const rate = met.goodPerSecond;
    const bound = rate * FRESH_SECONDS * takes(body.length, RECORDS) * SLACK;
    assert.ok(rate > 0, JSON.stringify(met));
    return promised(state.usedBytes - before.usedBytes <= bound, {
      seconds,
      'misses a second': rate,
      'most keys': state.keys,
      'most MiB': (state.usedBytes - before.usedBytes) / 1024 ** 2,
      'bound MiB': bound / 1024 ** 2,
    });
  },
};

/** The shared level of the cache alone, on a connection of this process. */
async function openCache(url: string) {
  const quiet = { info: () => undefined, warn: () => undefined };
  const redis = createRedis({ url, commandTimeoutMs: 60_000, connectTimeoutMs: 60_000 }, quiet);
  await redis.untilReady(60_000);
  const keys = createRedisKeys('portico:');
  const cache = createCache({
    ...{ clock: systemClock, localBytes: 1024 ** 2, localSeconds: 1, onEvent: () => undefined },
    redis: { client: redis.client, keyOf: (...parts) => keys.cache(...parts) },
    purges: createLocalPurges(),
  });
  return { redis, cache };
}

/** An answer with five records. */
function answerOf(body: Buffer): CacheEntry {
  const tags = ['users', ...Array.from({ length: RECORDS }, (_, at) => `user:${at + 1}`)];
  const fresh = { freshSeconds: FRESH_SECONDS, freshMs: FRESH_SECONDS * 1_000, staleMs: 0 };
  const made = { storedAt: Date.now(), purgePosition: { epoch: '', purges: 0 } };
  return { found: true, body, etag: `"${'x'.repeat(27)}"`, tags: tags.join(' '), ...fresh, ...made };
}

const stored: BenchRow = {
  id: 'redis-memory-3',
  name: 'the same for 5,000 distinct misses a second at the shared cache itself, without the cost of HTTP',
  async run(bench) {
    const server = await bench.redis();
    const { redis, cache } = await openCache(server.url);
    bench.own({ stop: () => redis.close() });
    const usedBytes = async () => Number(/^used_memory:(\d+)/m.exec(await redis.client.info('memory'))?.[1]);
    const body = Buffer.alloc(600, 'x');
    const seconds = bench.long ? LONG_SECONDS : SECONDS;
    const before = await usedBytes();
    const bound = PER_SECOND * FRESH_SECONDS * takes(body.length, RECORDS) * SLACK;
    const state = { most: 0, keys: 0, made: 0, locked: 0 };
    async function miss(): Promise<void> {
      const key = `answer ${(state.made += 1)}`;
      const { lock } = await cache.getOrLock(key, 'look');
      if (lock !== undefined) state.locked += 1;
      await cache.put(key, answerOf(body), lock);
    }
    const startedAt = performance.now();
    for (let n = 0; performance.now() - startedAt < seconds * 1_000; n += 1) {
      const due = ((performance.now() - startedAt) / 1_000) * PER_SECOND - state.made;
      await Promise.all(Array.from({ length: Math.min(500, Math.max(0, Math.ceil(due))) }, miss));
      await bench.sleep(5);
      if (n % 40 !== 0) continue;
      state.most = Math.max(state.most, (await usedBytes()) - before);
      state.keys = Math.max(state.keys, await redis.client.dbsize());
    }
    const rate = state.made / ((performance.now() - startedAt) / 1_000);
    await bench.sleep(FRESH_SECONDS * 1_000 + 500);
    assert.equal(state.locked, state.made);
    return promised(state.most <= bound, {
      seconds,
      'misses a second': rate,
      'most keys': state.keys,
      'keys afterwards': await redis.client.dbsize(),
      'most MiB': state.most / 1024 ** 2,
      'bound MiB': bound / 1024 ** 2,
    });
  },
};

/** What answers take of Redis. */
const [MIB, LOCAL_MIB] = [1024 ** 2, 64];
/** Of 50 records each: more than twice what the local cache takes. */
const [DISTINCT, LONG_DISTINCT] = [30_000, 1_000_000];

/** How large a process with such a local cache becomes under so many distinct URLs, and what it then keeps, in MiB. */
async function growUnder(bench: FaultBench, distinct: number, localMib: number) {
  const cache = { localBytes: `${localMib}MiB`, localSeconds: '600s' };
  const gateway = await startWithManyUsers(bench, { cache, resources: usersKept('600s') });
  const mibOf = async (metric: string) => (await gateway.counted(metric)) / MIB;
  let resident = 0;
  for (let asked = 0; asked < distinct;) {
    const met = await offer({
      ports: [gateway.port],
      request: `GET /v1/users?limit=50&page={new} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.configuredKey}\r\n\r\n`,
      ...{ perSecond: PER_SECOND, seconds: 5, warmSeconds: 0, connections: CONNECTIONS, obeys: true },
    });
    assert.ok(met.good > 0, JSON.stringify(met));
    asked += met.good;
    resident = Math.max(resident, await mibOf('process_resident_memory_bytes'));
  }
  return { resident, kept: await mibOf('portico_cache_local_bytes') };
}

const local: BenchRow = {
  id: 'redis-memory-4',
  name: 'many distinct URLs make a process larger than one with next to no cache by 1.3 times its own and 96 MiB at most',
  async run(bench) {
    const distinct = bench.long ? LONG_DISTINCT : DISTINCT;
    const small = await growUnder(bench, DISTINCT, 1);
    const large = await growUnder(bench, distinct, LOCAL_MIB);
    const [more, bound] = [large.resident - small.resident, 1.3 * LOCAL_MIB + 96];
    assert.ok(large.kept > 0.9 * LOCAL_MIB, `the cache is not full: ${large.kept} MiB`);
    return promised(more <= bound, {
      'distinct URLs': distinct,
      'MiB with a cache of 1': small.resident,
      'MiB with one of 64': large.resident,
      'more at most': bound,
    });
  },
};

export const redisMemoryRows: readonly BenchRow[] = [perAnswer, bounded, stored, local];
