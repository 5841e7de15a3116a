import type { Clock } from '../kernel/clock.ts';
import { createBoundedMap } from './bounded-map.ts';
import { type CacheEntry, decodeEntry, encodeEntry } from './cache-entry.ts';

/** The part of a Redis client that the cache needs. */
export type CacheRedis = {
  getBuffer(key: string): Promise<Buffer | null>;
  set(key: string, value: Buffer, mode: 'PX', ttlMs: number): Promise<unknown>;
};

/** What happened at one level: for the metrics. */
export type OnCacheEvent = (
  level: 'local' | 'redis',
  result: 'hit' | 'miss' | 'stored' | 'damaged' | 'failed',
) => void;

/** Two levels: this process, and Redis where there is one. A level that fails is a miss, never an error. */
export type Cache = {
  /** At once where this process has a fresh entry, or nobody else could have one. */
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  /** Keeps an entry until its freshness ends. Returns at once; Redis is written behind the caller's back. */
  put(key: string, entry: CacheEntry): void;
};

export type CacheDeps = {
  readonly clock: Clock;
  /** Bound of the local level. */
  readonly localBytes: number;
  /** How long the local level may answer before Redis is asked again, seconds. */
  readonly localSeconds: number;
  /** Absent: the local level serves alone, for as long as an entry is fresh. */
  readonly redis?: { readonly client: CacheRedis; keyOf(key: string): string } | undefined;
  readonly onEvent: OnCacheEvent;
};

const ENTRY_OVERHEAD_BYTES = 512;

/** Creates the cache of finished answers. */
export function createCache({ clock, localBytes, localSeconds, redis, onEvent }: CacheDeps): Cache {
  const local = createBoundedMap<CacheEntry>(
    localBytes,
    (entry, key) => entry.body.length + key.length * 2 + ENTRY_OVERHEAD_BYTES,
  );

  function freshMs(entry: CacheEntry): number {
    // A clock that jumped must not make an entry live longer than it was meant to.
    return Math.min(entry.storedAt + entry.freshSeconds * 1_000 - clock.now(), entry.freshSeconds * 1_000);
  }

  function keepLocally(key: string, entry: CacheEntry): void {
    const fresh = freshMs(entry);
    local.set(key, entry, redis === undefined ? fresh : Math.min(fresh, localSeconds * 1_000));
  }

  async function getFromRedis(key: string): Promise<CacheEntry | undefined> {
    if (redis === undefined) return undefined;
    let bytes: Buffer | null;
    try {
      bytes = await redis.client.getBuffer(redis.keyOf(key));
    } catch {
      onEvent('redis', 'failed');
      return undefined;
    }
    const entry = bytes === null ? undefined : decodeEntry(key, bytes);
    if (bytes !== null && entry === undefined) onEvent('redis', 'damaged');
    const fresh = entry !== undefined && freshMs(entry) > 0;
    onEvent('redis', fresh ? 'hit' : 'miss');
    return fresh ? entry : undefined;
  }

  async function fromAfar(key: string): Promise<CacheEntry | undefined> {
    const far = await getFromRedis(key);
    if (far !== undefined) keepLocally(key, far);
    return far;
  }

  return {
    get(key) {
      const near = local.get(key);
      if (near !== undefined && freshMs(near) > 0) {
        onEvent('local', 'hit');
        return near;
      }
      onEvent('local', 'miss');
      return redis === undefined ? undefined : fromAfar(key);
    },
    put(key, entry) {
      keepLocally(key, entry);
      const ttlMs = Math.ceil(freshMs(entry));
      if (redis === undefined || ttlMs <= 0) return;
      redis.client.set(redis.keyOf(key), encodeEntry(key, entry), 'PX', ttlMs).then(
        () => onEvent('redis', 'stored'),
        () => onEvent('redis', 'failed'),
      );
    },
  };
}
