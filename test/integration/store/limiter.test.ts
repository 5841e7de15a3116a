import { eventually } from '../../support/time/eventually.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLimiter, type Tier } from '../../../src/store/limiter/limiter.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import type { RedisConnection } from '../../../src/store/redis/redis.ts';
import { startRedis, useRedis } from '../../support/redis/redis-server.ts';
import { connectRedis } from '../../support/redis/connect-redis.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

const limiterOn = (redis: RedisConnection, prefix: string) =>
  createLimiter({
    redis: redis.client,
    tiers,
    keyOf: (...parts) => createRedisKeys(prefix).tierCounts(...parts),
    clock: systemClock,
  });

const minute = { points: 10, seconds: 60 };
const hour = { points: 100, seconds: 3_600 };
const tiers: Readonly<Record<string, Tier>> = {
  open: { windows: [minute, hour], onStoreFailure: 'open' },
  closed: { windows: [minute], onStoreFailure: 'closed' },
  large: { windows: [{ points: 100_000, seconds: 60 }], onStoreFailure: 'open' },
  brief: { windows: [{ points: 1, seconds: 1 }], onStoreFailure: 'open' },
};

describe('a limit on one Redis', () => {
  const shared = useRedis();
  const countsOf = (tier: string, windows: Tier['windows']) =>
    createRedisKeys(shared.prefix).tierCounts(tier, windows, 'key:a');

  const connect = () => connectRedis(shared.url);
  const connections = startForEach(() => Promise.all([connect(), connect()]));
  const limiters = startForEach(() => connections.map((redis) => limiterOn(redis, shared.prefix)));

  const client = () => connections[0].client;
  /** Scripts that Redis has run. */
  async function commands(): Promise<number> {
    const [, calls = '0'] = /cmdstat_evalsha:calls=(\d+)/.exec(await client().info('commandstats')) ?? [];
    return Number(calls);
  }

  it('holds over two processes at once, exactly', async () => {
    const decisions = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => limiters[index % 2]!.consume('open', 'key:a')),
    );
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(new Set(decisions.map(({ by }) => by))).toEqual(new Set(['redis']));
  });

  it('charges refused requests to no window, so that retries never extend a refusal', async () => {
    for (let round = 0; round < 50; round += 1) await limiters[0]!.consume('open', 'key:a');
    const { allowed, windows, retryAfterSeconds } = await limiters[1]!.consume('open', 'key:a');
    expect(allowed).toBe(false);
    expect(windows.map(({ remaining }) => remaining)).toEqual([0, 90]);
    // The piece of the window in which the points were counted ends within two seconds more. A busy machine asks later.
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(30);
    expect(retryAfterSeconds).toBeLessThanOrEqual(62);
  });

  it('keeps counts of format 1 under the word of that format: a change of the fields needs another word', async () => {
    await limiters[0]!.consume('open', 'key:a');
    const key = `${shared.prefix}limit:{key:a}:open:10per60s,100per3600s`;
    const { t, ...counts } = await client().hgetall(key);
    const now = Math.floor(Number(t) / 2_000);
    expect(Object.keys(counts).sort()).toEqual([`1:${now}`, `2:${Math.floor(Number(t) / 120_000)}`]);
  });

  it('lets its counts expire', async () => {
    await limiters[0]!.consume('open', 'key:a');
    const ttl = await client().pttl(countsOf('open', [minute, hour]));
    expect(ttl).toBeGreaterThan(3_600_000);
    expect(ttl).toBeLessThanOrEqual(3_720_000);
  });

  it('admits again when the window has passed', async () => {
    expect((await limiters[0]!.consume('brief', 'key:a')).allowed).toBe(true);
    let decision = await limiters[0]!.consume('brief', 'key:a');
    expect(decision.allowed).toBe(false);
    expect(decision.retryAfterSeconds).toBeLessThanOrEqual(2);
    while (!decision.allowed) decision = await limiters[0]!.consume('brief', 'key:a');
    expect(decision.windows[0]?.remaining).toBe(0);
  });

  it('never asks for a wait longer than the window and a sub-window, even if Redis says so', async () => {
    const ahead = Date.now() + 3_600_000;
    await client().hset(countsOf('open', [minute, hour]), {
      t: ahead,
      [`1:${Math.floor(ahead / 2_000)}`]: 10,
    });
    const { allowed, retryAfterSeconds } = await limiters[0]!.consume('open', 'key:a');
    expect(allowed).toBe(false);
    expect(retryAfterSeconds).toBeLessThanOrEqual(62);
  });

  it.each([
    ['text', () => client().set(countsOf('open', [minute, hour]), 'garbage')],
    ['a list', () => client().rpush(countsOf('open', [minute, hour]), 'x')],
    [
      'fields that are no counts',
      () => client().hset(countsOf('open', [minute, hour]), { '1:x': 'y', t: 'z' }),
    ],
  ])('starts over where its key holds %s', async (_, put) => {
    await put();
    const { allowed, windows, by } = await limiters[0]!.consume('open', 'key:a');
    expect([allowed, windows[0]?.remaining, by]).toEqual([true, 9, 'redis']);
    expect(await client().pttl(countsOf('open', [minute, hour]))).toBeGreaterThan(0);
  });

  it('asks Redis only now and then for a caller far from the limit', async () => {
    const before = await commands();
    for (let round = 0; round < 1_000; round += 1) await limiters[0]!.consume('large', 'key:a');
    expect((await commands()) - before).toBeLessThan(200);
  });

  it('returns the reserved tokens that were not spent', async () => {
    for (let round = 0; round < 300; round += 1) await limiters[0]!.consume('large', 'key:a');
    const used = async () => {
      const counts = await client().hgetall(countsOf('large', [{ points: 100_000, seconds: 60 }]));
      return Object.entries(counts).reduce(
        (sum, [name, count]) => sum + (name === 't' ? 0 : Number(count)),
        0,
      );
    };
    expect(await used()).toBeGreaterThan(300);
    await eventually(async () => (await used()) <= 300);
    expect(await used()).toBe(300);
  });

  it('goes on after the scripts are flushed', async () => {
    await limiters[0]!.consume('open', 'key:a');
    await client().script('FLUSH');
    expect(await limiters[0]!.consume('open', 'key:a')).toMatchObject({ allowed: true, by: 'redis' });
  });

  it('never mixes up callers, tiers or windows', async () => {
    for (let round = 0; round < 20; round += 1) await limiters[0]!.consume('open', 'key:a');
    expect((await limiters[0]!.consume('open', 'key:b')).allowed).toBe(true);
    expect((await limiters[0]!.consume('closed', 'key:a')).allowed).toBe(true);
  });
});

describe('a limit whose Redis is out of memory', () => {
  it('is kept by this process alone', async () => {
    const server = endAfterTest(await startRedis('--maxmemory-policy', 'noeviction'));
    const redis = endAfterTest(await connectRedis(server.url));
    await redis.client.config('SET', 'maxmemory', '1');
    const limiter = endAfterTest(limiterOn(redis, ''));
    expect(await limiter.consume('open', 'key:a')).toMatchObject({ allowed: true, by: 'local' });
    expect(await limiter.consume('closed', 'key:a')).toMatchObject({ allowed: false, by: 'unavailable' });
  });
});
