import { Redis } from 'ioredis';
import {
  createLocalPurges,
  createSharedPurges,
  EVERYTHING,
  type Purges,
  readPurgeNotes,
} from '../../../src/store/cache/purges.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const redis = useRedis();
const keyOf = (part: string) => `${redis.prefix}purges:${part}`;

/** The purges of a process that has asked for them once. */
async function open(): Promise<{ purges: Purges; client: Redis }> {
  const client = new Redis(redis.url);
  await client.ping();
  const purges = createSharedPurges(client, { purges: keyOf });
  await purges.refresh();
  endAfterTest(purges);
  endAfterTest(client);
  return { purges, client };
}

describe('the purges that processes share', () => {
  it('are all learned by a process that starts when the most tags are kept', async () => {
    const { purges: old, client } = await open();
    const entry = old.current();
    await client.zadd(
      keyOf('tags'),
      ...Array.from({ length: 10_000 }, (_, n) => [n + 1, `user:${n}`]).flat(),
    );
    await client.hset(keyOf('head'), 'number', 10_000);
    const { purges } = await open();
    expect(purges.current()).toEqual({ epoch: entry.epoch, purges: 10_000 });
    expect(purges.isPurged(entry, 'user:9999')).toBe(true);
    expect(purges.isPurged(entry, 'product:1')).toBe(false);
  });

  it('are learned while Redis is full, when nothing new can be written there', async () => {
    const { purges: old, client } = await open();
    const entry = old.current();
    await old.purge('user:1');
    await client.config('SET', 'maxmemory', '1');
    await expect(client.set(keyOf('more'), 'x')).rejects.toThrow('OOM');
    const { purges } = await open().finally(() => client.config('SET', 'maxmemory', '0'));
    expect(purges.current().epoch).toBe(entry.epoch);
    expect(purges.isPurged(entry, 'user:1')).toBe(true);
  });

  it('include everything older than the oldest one kept', async () => {
    const { purges, client } = await open();
    const entry = purges.current();
    await client.zadd(
      keyOf('tags'),
      ...Array.from({ length: 10_000 }, (_, n) => [n + 1, `user:${n}`]).flat(),
    );
    await client.hset(keyOf('head'), 'number', 10_000);
    await purges.purge('user:new');
    expect(purges.isPurged(entry, 'product:1')).toBe(true);
    expect(purges.isPurged(purges.current(), 'user:new')).toBe(false);
  });

  it('make everything stale when Redis has lost some of them', async () => {
    const { purges, client } = await open();
    await purges.purge('user:1');
    await purges.purge('user:2');
    const entry = purges.current();
    // A replica that had not heard of the last one has taken over.
    await client.hset(keyOf('head'), 'number', 1);
    await client.zrem(keyOf('tags'), 'user:2');
    await purges.refresh();
    expect(purges.isPurged(entry, 'user:3')).toBe(true);
    expect(purges.isPurged(purges.current(), 'user:3')).toBe(false);
  });

  it.each([
    ['looked at', () => Promise.resolve()],
    ['purged again', (purges: Purges) => purges.purge('user:9')],
  ])('make everything stale, once, when a full Redis has evicted their tags, %s', async (_, next) => {
    const { purges, client } = await open();
    const entry = purges.current();
    await purges.purge('user:1');
    await client.del(keyOf('tags'));
    await next(purges);
    const other = (await open()).purges;
    expect(other.isPurged(entry, 'user:2')).toBe(true);
    const later = other.current();
    await other.refresh();
    expect(other.current()).toEqual(later);
    expect(other.isPurged(later, 'user:1')).toBe(false);
  });
});

describe('the notes of purges', () => {
  async function noted(text?: string) {
    const client = new Redis(redis.url);
    if (text !== undefined) await client.set(keyOf('notes'), text);
    const notes = await readPurgeNotes(client, { purges: keyOf });
    await client.quit();
    return notes;
  }

  it('are known to every process that knows of the purge', async () => {
    const { purges } = await open();
    const seen: unknown[] = [];
    const client = endAfterTest(new Redis(redis.url));
    await client.ping();
    const other = endAfterTest(
      createSharedPurges(client, { purges: keyOf }, (notes) => seen.push([notes, other.current().purges])),
    );
    await purges.purge('users', { name: 'a', text: 'one' });
    await other.refresh();
    expect(seen.at(-1)).toEqual([{ a: 'one' }, 0]);
    expect(other.current().purges).toBe(1);
  });

  it.each(['', '{', '7', '[1]', 'null', '{"a":{"b":1}}'])(
    'that are damaged are none, and are replaced: %j',
    async (damage) => {
      const { purges } = await open();
      expect(await noted(damage)).toEqual({});
      await purges.purge('users', { name: 'b', text: 'two' });
      expect(await noted()).toMatchObject({ b: 'two' });
    },
  );

  it('are at most 200: those that still count are written again by the processes that know them', async () => {
    const { purges } = await open();
    for (let n = 0; n < 200; n += 1) await purges.purge('users', { name: String(n), text: '' });
    expect(Object.keys(await noted())).toHaveLength(200);
    await purges.purge('users', { name: 'last', text: '' });
    expect(await noted()).toEqual({ last: '' });
  });
});

describe('the purges of one process', () => {
  it('are kept within a bound, and what is older than all that are kept is purged', async () => {
    const purges = createLocalPurges();
    const entry = purges.current();
    for (let n = 0; n < 10_000; n += 1) await purges.purge(`user:${n}`);
    expect(purges.isPurged(entry, 'product:1')).toBe(false);
    await purges.purge('user:new');
    expect(purges.isPurged(entry, 'product:1')).toBe(true);
    const later = purges.current();
    await purges.purge(EVERYTHING);
    expect(purges.isPurged(later, 'product:1')).toBe(true);
  });
});
