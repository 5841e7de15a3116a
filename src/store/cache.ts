import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../kernel/clock.ts';
import { createBoundedMap } from './bounded-map.ts';
import { type CacheEntry, decodeEntry, encodeEntry } from './cache-entry.ts';
import { acquireLease, type Lease } from './lease.ts';
import type { Purges } from './purges.ts';

/** The part of a Redis client that the cache needs. */
export type CacheRedis = Pick<Redis, 'getBuffer' | 'eval'>;

/** What happened at one level: for the metrics. */
export type OnCacheEvent = (
  level: 'local' | 'redis',
  result: 'hit' | 'stale' | 'miss' | 'stored' | 'damaged' | 'failed',
) => void;

/** Two levels: this process, and Redis where there is one. */
export type Cache = {
  /**
   * An entry that may still be served, fresh or stale; at once where this process has a fresh one, or nobody else
   * could have one. A level that fails is a miss, never an error.
   */
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  /** What Redis has. Rejects where it does not answer. */
  far(key: string): Promise<CacheEntry | undefined>;
  /**
   * Keeps an entry until it may not even be stale any more. Resolves once Redis has it or has failed; with a lease,
   * Redis takes it only while nobody else has had one since.
   */
  put(key: string, entry: CacheEntry, lease?: Lease): Promise<void>;
  /** The right to fill; `undefined` where another process has it. Rejects where Redis does not answer. */
  lease(key: string): Promise<Lease | undefined>;
  /** Whether other processes share the cache. */
  readonly isShared: boolean;
};

export type CacheDeps = {
  readonly clock: Clock;
  /** Bound of the local level. */
  readonly localBytes: number;
  /** How long the local level may answer before Redis is asked again, seconds. */
  readonly localSeconds: number;
  /** Absent: the local level serves alone. */
  readonly redis?:
    { readonly client: CacheRedis; readonly keyOf: (answer: string, part: string) => string } | undefined;
  readonly purges: Pick<Purges, 'isPurged'>;
  readonly onEvent: OnCacheEvent;
};

const ENTRY_OVERHEAD_BYTES = 512;
/** Longer than any fill takes. */
const FENCE_MS = 600_000;

const PUBLISH = `
if ARGV[3] ~= '' and redis.call('get', KEYS[2]) ~= ARGV[3] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Milliseconds since an entry's data was read; a clock that jumped makes nothing younger than new. */
export function ageMs({ storedAt }: CacheEntry, clock: Clock): number {
  return Math.max(0, clock.now() - storedAt);
}

/** Creates the cache of finished answers. */
export function createCache({ clock, localBytes, localSeconds, redis, purges, onEvent }: CacheDeps): Cache {
  const local = createBoundedMap<CacheEntry>(
    localBytes,
    (entry, key) => entry.body.length + key.length * 2 + ENTRY_OVERHEAD_BYTES,
  );

  const leftMs = (entry: CacheEntry) => entry.freshMs + entry.staleMs - ageMs(entry, clock);
  const isFresh = (entry: CacheEntry) => ageMs(entry, clock) < entry.freshMs;
  const isUsable = (entry: CacheEntry) => leftMs(entry) > 0 && !purges.isPurged(entry.generation, entry.tags);

  // A key has words of a caller in it, of any length.
  const keyOf = (key: string, part: string) =>
    redis?.keyOf(hash('sha256', key, 'base64url').slice(0, 27), part) ?? '';

  function keepLocally(key: string, entry: CacheEntry): void {
    const left = leftMs(entry);
    local.set(key, entry, redis === undefined ? left : Math.min(left, localSeconds * 1_000));
  }

  async function far(key: string): Promise<CacheEntry | undefined> {
    if (redis === undefined) return undefined;
    const bytes = await redis.client.getBuffer(keyOf(key, 'value'));
    const entry = bytes === null ? undefined : decodeEntry(key, bytes);
    if (bytes !== null && entry === undefined) onEvent('redis', 'damaged');
    const usable = entry !== undefined && isUsable(entry) ? entry : undefined;
    onEvent('redis', usable === undefined ? 'miss' : isFresh(usable) ? 'hit' : 'stale');
    if (usable !== undefined) keepLocally(key, usable);
    return usable;
  }

  async function getFar(key: string, near: CacheEntry | undefined): Promise<CacheEntry | undefined> {
    try {
      return (await far(key)) ?? near;
    } catch {
      onEvent('redis', 'failed');
      return near;
    }
  }

  return {
    isShared: redis !== undefined,
    far,
    get(key) {
      const kept = local.get(key);
      const near = kept !== undefined && isUsable(kept) ? kept : undefined;
      if (near !== undefined && isFresh(near)) {
        onEvent('local', 'hit');
        return near;
      }
      onEvent('local', near === undefined ? 'miss' : 'stale');
      return redis === undefined ? near : getFar(key, near);
    },
    async put(key, entry, lease) {
      keepLocally(key, entry);
      const ttlMs = Math.ceil(leftMs(entry));
      if (redis === undefined || ttlMs <= 0) return;
      const names = [keyOf(key, 'value'), keyOf(key, 'fence')] as const;
      try {
        const fence = lease?.fence ?? '';
        const kept = await redis.client.eval(PUBLISH, 2, ...names, encodeEntry(key, entry), ttlMs, fence);
        if (kept === 1) onEvent('redis', 'stored');
      } catch {
        onEvent('redis', 'failed');
      }
    },
    lease: (key) =>
      redis === undefined
        ? Promise.resolve(undefined)
        : acquireLease(redis.client, { lock: keyOf(key, 'lock'), fence: keyOf(key, 'fence') }, FENCE_MS),
  };
}
