import { type Cache, type CacheRedis, createCache } from '../../../src/store/cache.ts';
import { type CacheEntry, encodeEntry } from '../../../src/store/cache-entry.ts';
import { createManualClock } from '../../support/manual-clock.ts';

/** A Redis as far as the cache knows it, in this process; `broken` makes every command fail. */
function createStore() {
  const kept = new Map<string, { value: Buffer; ttlMs: number }>();
  const state = { broken: false, gets: 0 };
  const failing = () => Promise.reject(new Error('Redis is gone'));
  const client: CacheRedis = {
    getBuffer(key) {
      state.gets += 1;
      return state.broken ? failing() : Promise.resolve(kept.get(key)?.value ?? null);
    },
    set(key, value, _mode, ttlMs) {
      if (state.broken) return failing();
      kept.set(key, { value, ttlMs });
      return Promise.resolve('OK');
    },
  };
  return { kept, state, client };
}

function setUp(withRedis = true, localSeconds = 5) {
  const clock = createManualClock();
  const store = createStore();
  const events: string[] = [];
  const make = (): Cache =>
    createCache({
      clock,
      localBytes: 1024 ** 2,
      localSeconds,
      redis: withRedis ? { client: store.client, keyOf: (key) => `p:${key}` } : undefined,
      onEvent: (level, result) => events.push(`${level} ${result}`),
    });
  const entry = (body: string, freshSeconds = 60, storedAt = clock.now()): CacheEntry => ({
    found: true,
    body: Buffer.from(body),
    etag: `"${body}"`,
    storedAt,
    freshSeconds,
  });
  return { clock, ...store, events, make, entry };
}

const textOf = async (cache: Cache, key = 'k') => (await cache.get(key))?.body.toString();

describe('the cache', () => {
  it('serves what was put, from this process', async () => {
    const { make, entry, state } = setUp();
    const cache = make();
    expect(await textOf(cache)).toBeUndefined();
    cache.put('k', entry('v'));
    state.gets = 0;
    expect(await textOf(cache)).toBe('v');
    expect(state.gets).toBe(0);
  });

  it('serves what another process has put, from Redis, and keeps it near', async () => {
    const { make, entry, state, events } = setUp();
    make().put('k', entry('v'));
    const other = make();
    expect([await textOf(other), await textOf(other)]).toEqual(['v', 'v']);
    expect(state.gets).toBe(1);
    expect(events.sort()).toEqual(['local hit', 'local miss', 'redis hit', 'redis stored']);
  });

  it('asks Redis every time where this process may not answer', async () => {
    const { make, entry, state } = setUp(true, 0);
    const cache = make();
    cache.put('k', entry('v'));
    expect([await textOf(cache), await textOf(cache)]).toEqual(['v', 'v']);
    expect(state.gets).toBe(2);
  });

  it('keeps an entry until its freshness ends, and no longer', async () => {
    const { make, entry, clock, kept } = setUp(true, 3_600);
    const cache = make();
    cache.put('k', entry('v', 60));
    expect(kept.get('p:k')!.ttlMs).toBe(60_000);
    clock.advance(59_999);
    expect(await textOf(cache)).toBe('v');
    clock.advance(1);
    expect(await textOf(cache)).toBeUndefined();
    expect(await textOf(make())).toBeUndefined();
  });

  it('counts freshness from the moment the data was read, not from the moment it is put', () => {
    const { make, entry, clock, kept } = setUp();
    make().put('k', entry('v', 60, clock.now() - 45_000));
    expect(kept.get('p:k')!.ttlMs).toBe(15_000);
  });

  it.each([0, -1])('keeps nothing that is fresh for %i seconds', async (freshSeconds) => {
    const { make, entry, kept } = setUp();
    const cache = make();
    cache.put('k', entry('v', freshSeconds));
    expect(await textOf(cache)).toBeUndefined();
    expect(kept.size).toBe(0);
  });

  it('lets nothing live longer than it was meant to, though it comes from a clock that is ahead', () => {
    const { make, entry, clock, kept } = setUp();
    make().put('k', entry('v', 60, clock.now() + 3_600_000));
    expect(kept.get('p:k')!.ttlMs).toBe(60_000);
  });

  it('remembers that a record does not exist', async () => {
    const { make, clock } = setUp();
    const absent = { found: false, body: Buffer.alloc(0), etag: '', storedAt: clock.now(), freshSeconds: 2 };
    make().put('k', absent);
    expect(await make().get('k')).toMatchObject({ found: false, etag: '' });
  });

  it('keeps keys apart', async () => {
    const { make, entry } = setUp();
    const cache = make();
    cache.put('a', entry('1'));
    cache.put('b', entry('2'));
    expect([await textOf(cache, 'a'), await textOf(cache, 'b'), await textOf(cache, 'c')]).toEqual([
      '1',
      '2',
      undefined,
    ]);
  });
});

describe('a Redis that fails', () => {
  it('is a miss, and what this process has is served all the same', async () => {
    const { make, entry, state, events } = setUp();
    const cache = make();
    state.broken = true;
    expect(await textOf(cache)).toBeUndefined();
    cache.put('k', entry('v'));
    expect(await textOf(cache)).toBe('v');
    expect(events.sort()).toEqual(['local hit', 'local miss', 'redis failed', 'redis failed']);
  });

  it.each<[string, Buffer]>([
    ['rubbish', Buffer.from('rubbish')],
    ['a body without its envelope', Buffer.from('{"data":[]}')],
    ['nothing', Buffer.alloc(0)],
  ])('by holding %s is a miss, and counted', async (_name, value) => {
    const { make, kept, events } = setUp();
    kept.set('p:k', { value, ttlMs: 1 });
    expect(await textOf(make())).toBeUndefined();
    expect(events).toEqual(['local miss', 'redis damaged', 'redis miss']);
  });

  it('by holding what should be gone is a miss', async () => {
    const { make, entry, kept, clock } = setUp();
    kept.set('p:k', { value: encodeEntry('k', entry('v', 60, clock.now() - 60_000)), ttlMs: 1 });
    expect(await textOf(make())).toBeUndefined();
  });
});

describe('without Redis', () => {
  it('this process serves alone, for as long as an entry is fresh', async () => {
    const { make, entry, clock } = setUp(false, 5);
    const cache = make();
    cache.put('k', entry('v', 60));
    clock.advance(59_000);
    expect(await textOf(cache)).toBe('v');
  });
});
