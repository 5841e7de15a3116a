import { LRUCache } from 'lru-cache';

/** A map with a bound on the sum of its entries' sizes; the least recently used go first, the expired at once. */
export type BoundedMap<T> = {
  get(key: string): T | undefined;
  set(key: string, value: T, ttlMs: number): void;
  /** What was set last, expired or not, if there was room for it until now. */
  latest(key: string): T | undefined;
  /** Puts a value in the place of `latest`, weighed anew, for as long as that had left. */
  replace(key: string, value: T): void;
  delete(key: string): void;
  clear(): void;
  /** Lets all go that has expired, also where there is room; it looks at every entry. */
  evictExpired(): void;
  /** The sum of the sizes held. */
  readonly size: number;
  readonly entries: number;
};

// The expired are only let go where room is needed, as without a `get`.
const KEEP_EXPIRED = { noDeleteOnStaleGet: true };
const LATEST = { allowStale: true };

/** Creates a bounded map; `sizeOf` gives an entry's size in the unit of `sizeMax`. An entry above the bound is not kept. */
export function createBoundedMap<T extends object>(
  sizeMax: number,
  sizeOf: (value: T, key: string) => number,
): BoundedMap<T> {
  const cache = new LRUCache<string, T>({
    maxSize: sizeMax,
    sizeCalculation: (value, key) => Math.max(1, Math.ceil(sizeOf(value, key))),
    ttlAutopurge: false,
  });
  return {
    get: (key) => cache.get(key, KEEP_EXPIRED),
    set(key, value, ttlMs) {
      if (ttlMs > 0) cache.set(key, value, { ttl: ttlMs });
    },
    latest: (key) => cache.peek(key, LATEST),
    replace(key, value) {
      if (cache.peek(key, LATEST) !== undefined) cache.set(key, value, { noUpdateTTL: true });
    },
    delete: (key) => void cache.delete(key),
    clear: () => cache.clear(),
    evictExpired: () => void cache.purgeStale(),
    get size() {
      return cache.calculatedSize;
    },
    get entries() {
      return cache.size;
    },
  };
}
