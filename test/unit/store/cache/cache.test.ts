import { type Cache, createCache, staleMsOf } from '../../../../src/store/cache/cache.ts';
import { type CacheEntry, encodeEntry } from '../../../../src/store/cache/cache-entry.ts';
import type { CacheRedis } from '../../../../src/store/cache/redis-entries.ts';
import { createLocalPurges } from '../../../../src/store/cache/purges.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

/** A Redis as far as the cache knows it, in this process; `broken` makes every command fail. */
function createStore() {
  const kept = new Map<string, { value: Buffer; ttlMs: number }>();
  const state = { broken: false, gets: 0, planted: undefined as Buffer | undefined };
  const failing = () => Promise.reject(new Error('Redis is gone'));
  const client: CacheRedis = {
    getBuffer(key) {
      state.gets += 1;
      return state.broken
        ? failing()
        : Promise.resolve(state.planted ?? kept.get(String(key))?.value ?? null);
    },
    callBuffer(...args: unknown[]) {
      if (state.broken) return failing();
      const [, , , key, , value, ttlMs] = args as [string, string, number, string, string, Buffer, number];
      kept.set(key, { value, ttlMs });
      return Promise.resolve(1);
    },
  };
  const ttlMs = () => [...kept.values()][0]!.ttlMs;
  return { kept, state, client, ttlMs };
}

const clock = createManualClock();

function setUp(withRedis = true, localSeconds = 5) {
  const store = createStore();
  const events: string[] = [];
  const make = (): Cache =>
    createCache({
      clock,
      localBytes: 1024 ** 2,
      localSeconds,
      redis: withRedis ? { client: store.client, keyOf: (answer, part) => `${answer}:${part}` } : undefined,
      purges: createLocalPurges(),
      onEvent: (level, result) => events.push(`${level} ${result}`),
    });
  const entry = (body: string, freshSeconds = 60, storedAt = clock.now(), staleSeconds = 0): CacheEntry => ({
    found: true,
    body: Buffer.from(body),
    etag: `"${body}"`,
    storedAt,
    freshSeconds,
    freshMs: freshSeconds * 1_000,
    staleMs: staleSeconds * 1_000,
    tags: '',
    purgePosition: { epoch: '', purges: 0 },
  });
  return { clock, ...store, events, make, entry };
}

/** What a cache serves: its own while that is fresh, or else what Redis has, or else its own. */
async function find(cache: Cache, key = 'k'): Promise<CacheEntry | undefined> {
  const near = cache.local(key);
  return near !== undefined && staleMsOf(near, clock) < 0 ? near : ((await cache.remote(key)) ?? near);
}
const textOf = async (cache: Cache, key = 'k') => (await find(cache, key))?.body.toString();

describe('the cache', () => {
  it('serves what was put, from this process', async () => {
    const { make, entry, state } = setUp();
    const cache = make();
    expect(await textOf(cache)).toBeUndefined();
    void cache.put('k', entry('v'));
    state.gets = 0;
    expect(await textOf(cache)).toBe('v');
    expect(state.gets).toBe(0);
  });

  it('serves an entry of another process from Redis, and keeps it locally', async () => {
    const { make, entry, state, events } = setUp();
    void make().put('k', entry('v'));
    const other = make();
    expect([await textOf(other), await textOf(other)]).toEqual(['v', 'v']);
    expect(state.gets).toBe(1);
    expect(events.sort()).toEqual(['local hit', 'local miss', 'redis hit', 'redis stored']);
  });

  it('keeps the bytes of a body alone, and not the memory that they were cut out of', async () => {
    const { make, entry } = setUp();
    const [one, other] = [make(), make()];
    for (const text of ['', 'v', 'long'.repeat(5_000)]) {
      void one.put('k', entry(text));
      for (const cache of [one, other]) {
        await cache.remote('k');
        const { body } = cache.local('k')!;
        expect(body.toString()).toBe(text);
        expect(body.buffer.byteLength).toBeLessThanOrEqual(body.length * 1.25);
      }
    }
  });

  it('asks Redis every time if the local level is off', async () => {
    const { make, entry, state } = setUp(true, 0);
    const cache = make();
    void cache.put('k', entry('v'));
    expect([await textOf(cache), await textOf(cache)]).toEqual(['v', 'v']);
    expect(state.gets).toBe(2);
  });

  it('keeps an entry until its freshness ends, and no longer', async () => {
    const { make, entry, clock, ttlMs } = setUp(true, 3_600);
    const cache = make();
    void cache.put('k', entry('v', 60));
    expect(ttlMs()).toBe(60_000);
    clock.advance(59_999);
    expect(await textOf(cache)).toBe('v');
    clock.advance(1);
    expect(await textOf(cache)).toBeUndefined();
    expect(await textOf(make())).toBeUndefined();
  });

  it('counts freshness from the moment the data was read, not from the moment it is put', () => {
    const { make, entry, clock, ttlMs } = setUp();
    void make().put('k', entry('v', 60, clock.now() - 45_000));
    expect(ttlMs()).toBe(15_000);
  });

  it.each([0, -1])('keeps nothing that is fresh for %i seconds', async (freshSeconds) => {
    const { make, entry, kept } = setUp();
    const cache = make();
    void cache.put('k', entry('v', freshSeconds));
    expect(await textOf(cache)).toBeUndefined();
    expect(kept.size).toBe(0);
  });

  it('serves no entry longer than intended, even from a clock that is ahead', () => {
    const { make, entry, clock, ttlMs } = setUp();
    void make().put('k', entry('v', 60, clock.now() + 3_600_000));
    expect(ttlMs()).toBe(60_000);
  });

  it('remembers that a record does not exist', async () => {
    const { make, entry } = setUp();
    void make().put('k', { ...entry('', 2), found: false, etag: '' });
    expect(await find(make())).toMatchObject({ found: false, etag: '' });
  });

  it('keeps keys apart', async () => {
    const { make, entry } = setUp();
    const cache = make();
    void cache.put('a', entry('1'));
    void cache.put('b', entry('2'));
    expect([await textOf(cache, 'a'), await textOf(cache, 'b'), await textOf(cache, 'c')]).toEqual([
      '1',
      '2',
      undefined,
    ]);
  });
});

describe('a Redis that fails', () => {
  it('is a miss, and local entries are still served', async () => {
    const { make, entry, state, events } = setUp();
    const cache = make();
    state.broken = true;
    expect(await textOf(cache)).toBeUndefined();
    const kept = cache.put('k', entry('v'));
    expect(await textOf(cache)).toBe('v');
    await kept;
    expect(events.sort()).toEqual(['local hit', 'local miss', 'redis failed', 'redis failed']);
  });

  it.each<[string, Buffer]>([
    ['rubbish', Buffer.from('rubbish')],
    ['a body without its envelope', Buffer.from('{"data":[]}')],
    ['nothing', Buffer.alloc(0)],
  ])('by holding %s is a miss, and counted', async (_name, value) => {
    const { make, state, events } = setUp();
    state.planted = value;
    expect(await textOf(make())).toBeUndefined();
    expect(events).toEqual(['local miss', 'redis damaged', 'redis miss']);
  });

  it('that still holds an expired entry is a miss', async () => {
    const { make, entry, state, clock } = setUp();
    state.planted = encodeEntry('k', entry('v', 60, clock.now() - 60_000));
    expect(await textOf(make())).toBeUndefined();
  });
});

describe('an entry past its freshness', () => {
  it('is kept as long as it may be stale, here and in Redis, and newer ones are looked for', async () => {
    const { make, entry, clock, ttlMs, state } = setUp(true, 3_600);
    const cache = make();
    void cache.put('k', entry('v', 60, clock.now(), 30));
    expect(ttlMs()).toBe(90_000);
    clock.advance(89_999);
    state.gets = 0;
    expect([await textOf(cache), state.gets]).toEqual(['v', 1]);
    clock.advance(1);
    expect(await textOf(cache)).toBeUndefined();
  });
});

describe('without Redis', () => {
  it('this process serves alone, for as long as an entry is fresh', async () => {
    const { make, entry, clock } = setUp(false, 5);
    const cache = make();
    void cache.put('k', entry('v', 60));
    clock.advance(59_000);
    expect(await textOf(cache)).toBe('v');
  });
});
