import { Redis } from 'ioredis';
import { acquireLock } from '../../../src/store/redis/distributed-lock.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const redis = useRedis();

const keys = () => ({ lock: `${redis.prefix}lock`, fence: `${redis.prefix}fence` });

const client = startForAll(() => new Redis(redis.url));

describe('the fencing token of a lock', () => {
  it('grows with every lock, and is kept for as long as its holder may take to write', async () => {
    const first = await acquireLock(client, keys(), 5_000);
    expect(await acquireLock(client, keys(), 5_000)).toBeUndefined();
    await first?.release();
    const second = await acquireLock(client, keys(), 5_000);
    expect(second?.fence).toBeGreaterThan(first?.fence ?? Infinity);
    await second?.release();
    const ttl = await client.pttl(keys().fence);
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(5_000);
    expect(await client.exists(keys().lock)).toBe(0);
  });

  it("grows when Redis' clock was set back", async () => {
    const last = Date.now() * 1_000 + 3_600_000_000;
    await client.set(keys().fence, last);
    const lock = await acquireLock(client, keys(), 5_000);
    expect(lock?.fence).toBe(last + 1);
    await lock?.release();
  });

  it.each(['rubbish', '-5', '1e3', 'nan', 'inf', '9223372036854775807'])(
    'is given at once where the last one is damaged: %s',
    async (value) => {
      await client.set(keys().fence, value);
      const lock = await acquireLock(client, keys(), 5_000);
      expect(lock?.fence).toBeGreaterThan(0);
      await lock?.release();
    },
  );
});
