// Bounds what a process keeps in memory: a map with a largest size, and copies that keep no larger block of bytes alive.

import { LRUCache } from 'lru-cache';

// Expired entries stay until room is needed, also after a `get`.
const KEEP_EXPIRED = { noDeleteOnStaleGet: true };
const LATEST = { allowStale: true };
/** How much longer an entry may live than its time to live says. */
const CLOCK_MS = 10;

/**
 * Creates an LRU map that bounds the sum of its entries' sizes. `sizeOf` returns an entry's size in the unit of `sizeMax`; larger
 * entries are not stored. Expired entries stay in memory, but `get` no longer returns them.
 */
export function createBoundedMap<T extends object>(
  sizeMax: number,
  sizeOf: (value: T, key: string) => number,
) {
  const cache = new LRUCache<string, T>({
    maxSize: sizeMax,
    sizeCalculation: (value, key) => Math.max(1, Math.ceil(sizeOf(value, key))),
    ttlAutopurge: false,
    // The library keeps the time for so long, by a timer; with its default of 1 ms it would start one for every few calls.
    ttlResolution: CLOCK_MS,
  });
  return {
    get: (key: string) => cache.get(key, KEEP_EXPIRED),
    set(key: string, value: T, ttlMs: number): void {
      if (ttlMs > 0) cache.set(key, value, { ttl: ttlMs });
    },
    /** The value that was set last, also if it has expired; `undefined` if it was evicted. */
    latest: (key: string) => cache.peek(key, LATEST),
    /** Replaces the value of `latest` and computes its size again; its time to live does not change. */
    replace(key: string, value: T): void {
      if (cache.peek(key, LATEST) !== undefined) cache.set(key, value, { noUpdateTTL: true });
    },
    delete: (key: string) => void cache.delete(key),
    clear: () => cache.clear(),
    /** All entries that have not expired, with their keys. It visits every entry. */
    alive: (): readonly (readonly [string, T])[] => [...cache.entries()],
    /** Removes every expired entry, even if there is room. It visits all entries. */
    evictExpired: () => void cache.purgeStale(),
    /** The sum of the entries' sizes. */
    get size() {
      return cache.calculatedSize;
    },
    get entries() {
      return cache.size;
    },
  };
}

/** A copy is not worth it if the rest of the memory block is at most this share of the bytes. */
const SPARE_MAX = 1 / 4;

/**
 * Copies bytes into a memory block of their own. Node takes small buffers from shared blocks of 64 KiB, and other buffers are
 * parts of what a socket or zlib has read. Without a copy, a few hundred bytes would keep the whole block alive. A buffer that
 * fills most of its block is returned as it is.
 */
export function detachedCopy(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length * (1 + SPARE_MAX)) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
