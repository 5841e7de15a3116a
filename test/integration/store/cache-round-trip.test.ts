import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import { createCache, type Cache } from '../../../src/store/cache/cache.ts';
import { encodeEntry } from '../../../src/store/cache/cache-entry.ts';
import { createRedisEntries } from '../../../src/store/cache/redis-entries.ts';
import { createLocalPurges } from '../../../src/store/cache/purges.ts';
import { versionedName } from '../../../src/store/redis/stored-bytes.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { useRedis } from '../../support/redis/redis-server.ts';

const redis = useRedis();
const clients: Redis[] = [];
const clock = createManualClock();

const sixtySeconds = {
  ...{ found: true, body: Buffer.from('1'), etag: '"x"', freshSeconds: 60, freshMs: 60_000, staleMs: 0 },
  ...{ tags: 'users', purgePosition: { epoch: '', purges: 0 } },
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
    expect(await open().cache.remote('a key/with "odd" parts')).toEqual(entry);
  });

  it('keeps answers of two versions of their form apart, which share a Redis during an upgrade', async () => {
    const asked = new Set<string>();
    const keyOf = (answer: string) => (asked.add(answer), `${redis.prefix}${answer}`);
    clients.push(new Redis(redis.url));
    await createRedisEntries({ client: clients[0]!, keyOf }).get('k');
    const ofThisVersion = hash('sha256', `${versionedName('cacheEntry')} k`, 'base64url').slice(0, 27);
    expect([...asked]).toEqual([ofThisVersion]);
  });

  it('lets Redis expire its entries', async () => {
    const writer = open();
    const stored = writer.next();
    void writer.cache.put('k', { ...sixtySeconds, storedAt: clock.now() });
    await stored;
    const ttl = await clients[0]!.pttl(`${redis.prefix}value`);
    expect(ttl).toBeGreaterThan(55_000);
    expect(ttl).toBeLessThanOrEqual(60_000);
  });

  it('lets one process at a time fill, and gives the others what it stored', async () => {
    const [one, other] = [open(), open()];
    const first = await one.cache.getOrLock('k', 'look');
    expect(first).toMatchObject({ entry: undefined, lock: {} });
    expect(await other.cache.getOrLock('k', 'look')).toEqual({ entry: undefined, lock: undefined });
    const entry = { ...sixtySeconds, storedAt: clock.now() };
    await one.cache.put('k', entry, first.lock);
    // The lock was given back with the answer: those who look need none, those who fill may have it.
    expect(await other.cache.getOrLock('k', 'look')).toEqual({ entry, lock: undefined });
    const second = await other.cache.getOrLock('k', 'fill');
    expect(second.entry).toEqual(entry);
    expect(second.lock?.token).not.toBe(first.lock?.token);
    await second.lock?.release();
    expect(await clients[0]!.exists(`${redis.prefix}lock`)).toBe(0);
  });

  it('stores no answer of a process that has lost its lock', async () => {
    const [late, next] = [open(), open()];
    const lost = await late.cache.getOrLock('k', 'look');
    await clients[0]!.del(`${redis.prefix}lock`);
    const held = await next.cache.getOrLock('k', 'look');
    await late.cache.put('k', { ...sixtySeconds, storedAt: clock.now() }, lost.lock);
    expect(await clients[0]!.exists(`${redis.prefix}value`)).toBe(0);
    expect(await clients[0]!.exists(`${redis.prefix}lock`)).toBe(1);
    await held.lock?.release();
  });

  it('stores nothing older over what was filled since Redis lost everything', async () => {
    const [late, next] = [open(), open()];
    const older = { ...sixtySeconds, storedAt: clock.now() };
    const newer = { ...older, body: Buffer.from('2') };
    const lost = await late.cache.getOrLock('k', 'look');
    // The whole of what this test keeps: the server is that of other files too.
    await clients[0]!.del(['value', 'fence', 'lock'].map((part) => `${redis.prefix}${part}`));
    await next.cache.put('k', newer, (await next.cache.getOrLock('k', 'look')).lock);
    await late.cache.put('k', older, lost.lock);
    expect(await open().cache.remote('k')).toEqual(newer);
  });

  it('stores no answer of a process whose lock has lapsed, although nobody else has it', async () => {
    const { cache } = open();
    const { lock } = await cache.getOrLock('k', 'look');
    await clients[0]!.del(`${redis.prefix}lock`);
    await cache.put('k', { ...sixtySeconds, storedAt: clock.now() }, lock);
    expect(await clients[0]!.keys(`${redis.prefix}*`)).toEqual([]);
  });

  it('leaves nothing beside an answer that it has stored, and nothing at all of one that failed', async () => {
    const { cache } = open();
    await (await cache.getOrLock('failed', 'look')).lock?.release();
    expect(await clients[0]!.keys(`${redis.prefix}*`)).toEqual([]);
    const { lock } = await cache.getOrLock('k', 'look');
    await cache.put('k', { ...sixtySeconds, storedAt: clock.now() }, lock);
    expect(await clients[0]!.keys(`${redis.prefix}*`)).toEqual([`${redis.prefix}value`]);
  });

  it.each<[string, Buffer]>([
    ['damaged', Buffer.from('rubbish')],
    ['past its time', encodeEntry('k', { ...sixtySeconds, storedAt: clock.now() - 60_000 })],
  ])('gives the lock to a caller who finds only something %s', async (_name, value) => {
    const { cache } = open();
    await clients[0]!.set(`${redis.prefix}value`, value);
    const { entry, lock } = await cache.getOrLock('k', 'look');
    expect([entry, lock === undefined]).toEqual([undefined, false]);
    await lock?.release();
  });

  it('takes a key of another type for a miss', async () => {
    const reader = open();
    await clients[0]!.lpush(`${redis.prefix}value`, 'not a string');
    const event = reader.next();
    expect(await reader.cache.remote('k')).toBeUndefined();
    expect(await event).toBe('failed');
  });
});
