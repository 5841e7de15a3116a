import assert from 'node:assert/strict';
import type { Redis } from 'ioredis';
import { assertRefused } from '../harness/errors.ts';
import { decidedByRedis } from '../harness/harm/redis-harm.ts';
import { startRespProxy } from '../harness/harm/resp-proxy.ts';
import type { BenchRow } from '../harness/row.ts';

const full: BenchRow = {
  id: 'R7',
  name: 'Redis is full and evicts nothing (OOM) – 200: keys are read, limits counted alone, answers not kept there',
  fast: true,
  async run(bench) {
    const { gateway, redis } = await bench.shared();
    const set = (value: string) =>
      gateway.withStored(({ client }) => client.config('SET', 'maxmemory', value));
    const alone = () => gateway.counted('portico_limiter_decisions_total', 'by="local"');
    const failed = () => gateway.counted('portico_cache_events_total', 'level="redis"', 'result="failed"');
    const { key, record } = bench.mint();
    await gateway.withStored(({ store }) => store.create(record));
    await set('1');
    const [aloneBefore, failedBefore] = [await alone(), await failed()];
    await bench.sleep(600);
    for (let n = 1; n <= 20; n += 1) {
      const asked = { key: n % 2 === 0 ? key : gateway.storedKeys[0]! };
      assert.equal((await gateway.ask(`/v1/users?limit=${n}&page=4`, asked)).status, 200);
    }
    const figure = {
      errors: 0,
      alone: (await alone()) - aloneBefore,
      'not kept': (await failed()) - failedBefore,
    };
    await set('0');
    assert.ok(figure.alone > 0, `Redis on ${redis.port} counts while it is full`);
    return figure;
  },
};

/** Fills Redis with what may be evicted, until a key is gone. */
async function fillUntilGone(client: Redis, key: string): Promise<number> {
  for (let written = 0; written < 400; written += 1) {
    if ((await client.exists(key)) === 0) return written;
    const pipeline = client.pipeline();
    for (let n = 0; n < 100; n += 1) pipeline.set(`junk:${written}:${n}`, 'x'.repeat(500), 'EX', 600);
    await pipeline.exec();
  }
  throw new Error(`${key} was not evicted`);
}

const evicts: BenchRow = {
  id: 'R8',
  name: 'Redis is full and evicts what has an end (volatile-lru), the counts of a limit too – at most one window more is let through; no key is ever evicted',
  async run(bench) {
    const redis = await bench.redis('--maxmemory', '3mb', '--maxmemory-policy', 'volatile-lru');
    const limit = 100;
    const gateway = await bench.gateway({
      config: { redis: { url: redis.url }, limits: { tiers: { bench: { windows: [`${limit} per 60s`] } } } },
      keys: 10,
    });
    let accepted = 0;
    const ask = async () => {
      const { status } = await gateway.ask('/v1/users?limit=2');
      if (status === 200) accepted += 1;
      return status;
    };
    while (accepted < limit / 2) assert.equal(await ask(), 200);
    await bench.sleep(800);
    const ids = gateway.storedKeys.map((key) => key.split('_')[1]!);
    const evicted = await gateway.withStored(async ({ client, keys }) => {
      const [counts = ''] = (await client.keys('portico:limit:*')).filter((key) => key.includes(ids[0]!));
      await fillUntilGone(client, counts);
      const left = await Promise.all(ids.map((id) => client.exists(keys.apiKey(id))));
      return left.filter((exists) => exists === 0).length;
    });
    while ((await ask()) !== 429);
    assert.equal(evicted, 0);
    assert.ok(accepted <= 2 * limit, `${accepted} of ${limit}`);
    return { 'over %': ((accepted - limit) / limit) * 100, 'evicted keys': evicted };
  },
};

/** What Redis says while it cannot serve; and what is no Redis at all. */
const refusals = {
  LOADING: '-LOADING Redis is loading the dataset in memory\r\n',
  MISCONF: '-MISCONF Redis is configured to save RDB snapshots, but cannot persist on disk\r\n',
  NOAUTH: '-NOAUTH Authentication required.\r\n',
  CLUSTERDOWN: '-CLUSTERDOWN The cluster is down\r\n',
  HTTP: 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
  nothing: '*1\r\n$5\r\nabc',
} as const;

const refuses: BenchRow = {
  id: 'R12',
  name: 'Redis says -LOADING, -MISCONF, -NOAUTH or -CLUSTERDOWN, or is no Redis at all – as if it were not there: configured keys 200, others 503 upstream_unavailable, never 401; /readyz?strict 503; one warning; used again after it',
  async run(bench) {
    const { redis } = await bench.shared();
    const proxy = bench.own(await startRespProxy(redis.port));
    const gateway = await bench.gateway({ config: { redis: { url: `redis://127.0.0.1:${proxy.port}` } } });
    let [unreadyMs, readyMs] = [0, 0];
    for (const [name, reply] of Object.entries(refusals)) {
      proxy.say(reply, name !== 'NOAUTH');
      unreadyMs = Math.max(unreadyMs, await bench.until(async () => !(await gateway.isReady())));
      for (let n = 1; n <= 5; n += 1) {
        const stranger = await gateway.ask('/v1/users?limit=6', { key: bench.mint().key });
        assertRefused(stranger, 503, 'upstream_unavailable');
        const known = await gateway.ask(`/v1/users?limit=${n}`, { key: gateway.configuredKey });
        assert.equal(known.status, 200, name);
      }
      proxy.say(undefined);
      readyMs = Math.max(readyMs, await bench.until(() => gateway.isReady()));
    }
    const warnings = gateway
      .log()
      .filter(({ level, requestId }) => Number(level) >= 40 && requestId === undefined);
    assert.ok(warnings.length <= 2 * Object.keys(refusals).length, JSON.stringify(warnings));
    const byRedis = await decidedByRedis(gateway);
    await bench.until(async () => {
      await gateway.ask('/v1/users?limit=8');
      return (await decidedByRedis(gateway)) > byRedis;
    });
    bench.atMost('ms until /readyz tells', unreadyMs, 1_500);
    bench.atMost('recovery ms', readyMs, 1_000);
    return { 'readyz ms': unreadyMs, 'recovery ms': readyMs, warnings: warnings.length };
  },
};

const flushed: BenchRow = {
  id: 'R15',
  name: 'FLUSHALL under load – 200: one call of the source for each answer; keys that stood there only are 401, told apart from an outage',
  async run(bench) {
    const redis = await bench.redis();
    const gateway = await bench.gateway({
      config: {
        redis: { url: redis.url },
        cache: { localSeconds: '1s' },
        resources: { users: { cache: { fresh: '60s' } } },
      },
    });
    const paths = Array.from({ length: 20 }, (_, at) => `/v1/users?limit=${at + 1}`);
    for (const path of paths) assert.equal((await gateway.ask(path)).status, 200);
    const refused = () => gateway.counted('portico_credentials_total', 'outcome="refused"');
    const unavailable = () => gateway.counted('portico_credentials_total', 'outcome="unavailable"');
    const before = [await refused(), await unavailable()];
    let [calls, refusedMs] = [0, 0];
    const load = await gateway.load(
      async () => {
        await bench.sleep(200);
        calls = bench.samples.calls();
        await gateway.withStored(({ client }) => client.flushall());
        refusedMs = await bench.until(
          async () => (await gateway.ask(paths[0]!, { entitled: false })).status === 401,
        );
        await bench.sleep(2_000);
        calls = bench.samples.calls() - calls;
      },
      { key: () => gateway.configuredKey, path: (n) => paths[n % paths.length]!, callers: 16 },
    );
    assert.deepEqual(Object.keys(load.statuses), ['200']);
    assert.ok((await refused()) > before[0]! && (await unavailable()) === before[1]);
    const perAnswer = calls / paths.length;
    assert.ok(perAnswer <= 1, `${calls} calls for ${paths.length} answers`);
    bench.atMost('ms until refused', refusedMs, 1_000);
    return { 'calls per answer': perAnswer, 'refused ms': refusedMs, answers: load.answers.length };
  },
};

/** Redis is there, but not as it should be. */
export const redisStateRows: readonly BenchRow[] = [full, evicts, refuses, flushed];
