import type { Window } from '../../../src/kernel/duration.ts';
import { createLimiter, type Limiter, type Tier } from '../../../src/store/limiter.ts';
import { createRedisKeys } from '../../../src/store/redis-keys.ts';
import { createRedis, type RedisConnection } from '../../../src/store/redis.ts';
import { startRedis, useRedis } from '../../support/redis.ts';

const silent = { info: () => undefined, warn: () => undefined };
const connect = (url: string) => createRedis({ url, commandTimeoutMs: 5_000, connectTimeoutMs: 500 }, silent);

const keyOf = (prefix: string) => (tier: string, window: Window, subject: string) =>
  createRedisKeys(prefix).tierWindow(tier, window, subject);

const minute = { points: 10, seconds: 60 };
const hour = { points: 100, seconds: 3_600 };
const tiers: Readonly<Record<string, Tier>> = {
  open: { windows: [minute, hour], onStoreFailure: 'open' },
  closed: { windows: [minute], onStoreFailure: 'closed' },
  brief: { windows: [{ points: 1, seconds: 1 }], onStoreFailure: 'open' },
};

describe('a limit on one Redis', () => {
  const shared = useRedis();
  let connections: RedisConnection[] = [];
  let limiters: Limiter[] = [];
  const keys = () => createRedisKeys(shared.prefix);

  beforeEach(async () => {
    connections = [connect(shared.url), connect(shared.url)];
    await Promise.all(connections.map((redis) => redis.untilReady(5_000)));
    limiters = connections.map((redis) =>
      createLimiter({ redis: redis.client, tiers, keyOf: keyOf(shared.prefix) }),
    );
  });
  afterEach(() => Promise.all(connections.map((redis) => redis.close())));

  const client = () => connections[0]!.client;

  it('holds over two processes at once, to the point', async () => {
    const decisions = await Promise.all(
      Array.from({ length: 100 }, (_, index) => limiters[index % 2]!.consume('open', 'key:a')),
    );
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(new Set(decisions.map(({ by }) => by))).toEqual(new Set(['redis']));
  });

  it('charges refused requests to no window, and locks nobody out for knocking', async () => {
    for (let round = 0; round < 50; round += 1) await limiters[0]!.consume('open', 'key:a');
    const { allowed, windows, retryAfterSeconds } = await limiters[1]!.consume('open', 'key:a');
    expect(allowed).toBe(false);
    expect(windows.map(({ remaining }) => remaining)).toEqual([0, 90]);
    expect(retryAfterSeconds).toBe(windows[0]?.resetSeconds);
    expect(await client().get(keys().tierWindow('open', minute, 'key:a'))).toBe('10');
    expect(await client().get(keys().tierWindow('open', hour, 'key:a'))).toBe('10');
  });

  it('lets every window expire', async () => {
    await limiters[0]!.consume('open', 'key:a');
    for (const window of [minute, hour]) {
      const ttl = await client().pttl(keys().tierWindow('open', window, 'key:a'));
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(window.seconds * 1_000);
    }
  });

  it('admits again when the window starts anew', async () => {
    expect((await limiters[0]!.consume('brief', 'key:a')).allowed).toBe(true);
    let decision = await limiters[0]!.consume('brief', 'key:a');
    expect(decision).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    while (!decision.allowed) decision = await limiters[0]!.consume('brief', 'key:a');
    expect(decision.windows[0]?.remaining).toBe(0);
  });

  it('tells nobody to wait longer than the window, even if Redis says so', async () => {
    await client().set(keys().tierWindow('open', minute, 'key:a'), '10', 'EX', 7_200);
    expect(await limiters[0]!.consume('open', 'key:a')).toMatchObject({
      allowed: false,
      retryAfterSeconds: 60,
    });
  });

  it.each([
    ['text', 'garbage'],
    ['nothing', ''],
    ['a counter without an end', '10'],
  ])('starts over where its key holds %s', async (_, value) => {
    await client().set(keys().tierWindow('open', minute, 'key:a'), value);
    const { allowed, windows, by } = await limiters[0]!.consume('open', 'key:a');
    expect([allowed, windows[0]?.remaining, by]).toEqual([true, 9, 'redis']);
    expect(await client().pttl(keys().tierWindow('open', minute, 'key:a'))).toBeGreaterThan(0);
  });

  it('counts alone where its key is of another type', async () => {
    await client().rpush(keys().tierWindow('open', minute, 'key:a'), 'x');
    expect(await limiters[0]!.consume('open', 'key:a')).toMatchObject({ allowed: true, by: 'local' });
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
    const server = await startRedis('--maxmemory', '1mb', '--maxmemory-policy', 'noeviction');
    const redis = connect(server.url);
    await redis.untilReady(5_000);
    const limiter = createLimiter({ redis: redis.client, tiers, keyOf: keyOf('') });
    expect(await limiter.consume('open', 'key:a')).toMatchObject({ allowed: true, by: 'local' });
    expect(await limiter.consume('closed', 'key:a')).toMatchObject({ allowed: false, by: 'unavailable' });
    await redis.close();
    await server.stop();
  });
});
