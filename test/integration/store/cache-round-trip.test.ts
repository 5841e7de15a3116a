import { Redis } from 'ioredis';
import { createCache, type Cache } from '../../../src/store/cache.ts';
import { createLocalPurges } from '../../../src/store/purges.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { useRedis } from '../../support/redis.ts';

const redis = useRedis();
const clients: Redis[] = [];
const clock = createManualClock();

const sixtySeconds = {
  ...{ found: true, body: Buffer.from('1'), etag: '"x"', freshSeconds: 60, freshMs: 60_000, staleMs: 0 },
  ...{ tags: ['users'], generation: { epoch: '', purges: 0 } },
};

/** The cache of a process, and the events of its Redis level. */
function open(): { cache: Cache; next: () => Promise<string> } {
  const client = new Redis(redis.url);
  clients.push(client);
  const waiting: ((result: string) => void)[] = [];
  const cache = createCache({
    clock,
    localBytes: 1024 ** 2,
    localSeconds: 5,
    redis: { client, keyOf: (_answer, part) => `${redis.prefix}${part}` },
    purges: createLocalPurges(),
    onEvent: (level, result) => level === 'redis' && waiting.shift()?.(result),
  });
  return { cache, next: () => new Promise((resolve) => waiting.push(resolve)) };
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.quit()));
});

describe('the cache on a real Redis', () => {
  it('carries an answer from one process to another, byte by byte', async () => {
    const body = Buffer.from([0, 255, 13, 10, 0x7b, 0xc3, 0xbc]);
    const entry = { ...sixtySeconds, body, storedAt: clock.now() };
    const writer = open();
    const stored = writer.next();
    void writer.cache.put('a key/with "odd" parts', entry);
    expect(await stored).toBe('stored');
    expect(await open().cache.get('a key/with "odd" parts')).toEqual(entry);
  });

  it('leaves it to Redis to forget', async () => {
    const writer = open();
    const stored = writer.next();
    void writer.cache.put('k', { ...sixtySeconds, storedAt: clock.now() });
    await stored;
    const ttl = await clients[0]!.pttl(`${redis.prefix}value`);
    expect(ttl).toBeGreaterThan(55_000);
    expect(ttl).toBeLessThanOrEqual(60_000);
  });

  it('takes a key of another type for a miss', async () => {
    const reader = open();
    await clients[0]!.lpush(`${redis.prefix}value`, 'not a string');
    const event = reader.next();
    expect(await reader.cache.get('k')).toBeUndefined();
    expect(await event).toBe('failed');
  });
});
