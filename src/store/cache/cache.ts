// The cache of finished answers: one level in the memory of this process, and one in Redis that the fleet shares.

import type { Clock } from '../../kernel/clock.ts';
import { detachedCopy, createBoundedMap } from '../memory/bounded-map.ts';
import { EVERYTHING, type Purges } from './purges.ts';
import { type CacheEntry, tagList } from './cache-entry.ts';
import type { AttachEncodings, EncodedBodies } from './encoded-bodies.ts';
import { createRedisEntries, type EntryLock, type RedisEntriesDeps } from './redis-entries.ts';

/** Called for the metrics with what happened at one level of the cache. */
export type OnCacheEvent = (
  level: 'local' | 'redis',
  result: 'hit' | 'stale' | 'miss' | 'stored' | 'damaged' | 'failed',
) => void;

/** The entry in Redis, if it may still be served, and the lock to fill the key, if this process has acquired it. */
export type EntryOrLock = { readonly entry: CacheEntry | undefined; readonly lock: EntryLock | undefined };

/** A cache of two levels: this process, and Redis if there is one. */
export type Cache = Readonly<ReturnType<typeof createCache>>;

/** What a cache needs. `purges` says which entries are older than a purge of one of their tags; `onEvent` is for metrics. */
export type CacheDeps = {
  readonly clock: Clock;
  /** The most bytes that the level in this process may hold. */
  readonly localBytes: number;
  /** How long the level in this process may answer before Redis is asked again, in seconds. */
  readonly localSeconds: number;
  /** Absent: there is only the level in this process. */
  readonly redis?: RedisEntriesDeps | undefined;
  readonly purges: Pick<Purges, 'isPurged'>;
  /** Absent: bodies are not compressed. */
  readonly attachEncodings?: AttachEncodings | undefined;
  readonly onEvent: OnCacheEvent;
};

const ENTRY_OVERHEAD_BYTES = 512;

/** Milliseconds since an entry became stale; below 0 while it is fresh. If the clock went back, its age counts as 0. */
export function staleMsOf({ storedAt, freshMs }: CacheEntry, clock: Clock): number {
  return Math.max(0, clock.now() - storedAt) - freshMs;
}

/** For how many milliseconds an entry may still be served, stale or fresh. */
function leftMs(entry: CacheEntry, clock: Clock): number {
  return entry.staleMs - staleMsOf(entry, clock);
}

/** The answer with the body of an entry; `cache` says how the entry came to be served, such as a hit. */
export function entryAnswer<How>({ body, etag, storedAt, freshSeconds, encodings }: CacheEntry, cache: How) {
  return { body, etag, storedAt, freshSeconds, cache, encodings };
}

/** Creates the level in this process, bounded by bytes. */
function createLocalEntries({ clock, localBytes, localSeconds, redis, attachEncodings }: CacheDeps) {
  const kept = createBoundedMap<CacheEntry>(
    localBytes,
    ({ body, encodings, tags }, key) =>
      body.length + (encodings?.bytes ?? 0) + tags.length + key.length * 2 + ENTRY_OVERHEAD_BYTES,
  );

  function resize(key: string, encodings: EncodedBodies): void {
    const entry = kept.latest(key);
    if (entry?.encodings === encodings) kept.replace(key, { ...entry });
  }

  return {
    get: (key: string) => kept.get(key),
    get size() {
      return { bytes: kept.size, entries: kept.entries };
    },
    alive: () => kept.alive().map(([, entry]) => entry),
    put(key: string, entry: CacheEntry): CacheEntry {
      const left = leftMs(entry, clock);
      // A body must not keep a larger buffer alive than it is counted as.
      const own = { ...entry, body: detachedCopy(entry.body) };
      const added = attachEncodings?.(own, kept.latest(key), (encodings) => resize(key, encodings)) ?? own;
      kept.set(key, added, redis === undefined ? left : Math.min(left, localSeconds * 1_000));
      return added;
    },
  };
}

/** Creates the function that returns an entry only if it may be served, and reports a hit, stale entry or miss. */
function createUsable({ clock, purges, onEvent }: CacheDeps) {
  return function usable(level: 'local' | 'redis', entry: CacheEntry | undefined): CacheEntry | undefined {
    const isUsable =
      entry !== undefined && leftMs(entry, clock) > 0 && !purges.isPurged(entry.purgePosition, entry.tags);
    onEvent(level, !isUsable ? 'miss' : staleMsOf(entry, clock) < 0 ? 'hit' : 'stale');
    return isUsable ? entry : undefined;
  };
}

/** Creates the cache of finished answers. */
export function createCache(deps: CacheDeps) {
  const { clock, onEvent } = deps;
  const usable = createUsable(deps);
  const local = createLocalEntries(deps);
  const redis = deps.redis && createRedisEntries(deps.redis);

  function fromRedis(key: string, found: CacheEntry | 'damaged' | undefined): CacheEntry | undefined {
    if (found === 'damaged') onEvent('redis', 'damaged');
    const entry = usable('redis', found === 'damaged' ? undefined : found);
    return entry && local.put(key, entry);
  }

  return {
    /** Whether other processes share the cache. */
    isShared: redis !== undefined,
    /** The size of the level in this process, expired entries included. */
    get localSize() {
      return local.size;
    },
    /** How many usable entries with a tag are in this process. It visits every entry. */
    countLocal(tag: string): number {
      const isAbout = ({ tags }: CacheEntry) => tag === EVERYTHING || tagList(tags).includes(tag);
      const found = local.alive().filter(isAbout);
      return found.filter(({ purgePosition, tags }) => !deps.purges.isPurged(purgePosition, tags)).length;
    },
    /** The entry in this process, if it may still be served, fresh or stale. */
    local: (key: string) => usable('local', local.get(key)),
    /** The entry in Redis, if it may still be served. A failure of Redis is a miss, never an error. */
    async remote(key: string): Promise<CacheEntry | undefined> {
      try {
        return redis && fromRedis(key, await redis.get(key));
      } catch {
        onEvent('redis', 'failed');
        return undefined;
      }
    },
    /**
     * Reads Redis and acquires the lock to fill the key, in one step. With `look`, it takes the lock only if the entry there
     * may not be served; with `fill`, it takes the lock in any case. Rejects if Redis does not answer.
     */
    async getOrLock(key: string, purpose: 'look' | 'fill'): Promise<EntryOrLock> {
      if (redis === undefined) return { entry: undefined, lock: undefined };
      try {
        const { found, lock } = await redis.getOrLock(key, purpose);
        const entry = fromRedis(key, found);
        if (purpose === 'fill' || found === undefined || entry !== undefined) return { entry, lock };
        // The entry there may not be served.
        const again = await redis.getOrLock(key, 'fill');
        return { entry: fromRedis(key, again.found), lock: again.lock };
      } catch (error) {
        onEvent('redis', 'failed');
        throw error;
      }
    },
    /**
     * Keeps an entry for as long as it may be served, stale or fresh. Resolves once Redis has the entry or has failed. With
     * a lock, Redis takes the entry only if this process still holds the lock; the lock is then released.
     */
    async put(key: string, entry: CacheEntry, lock?: EntryLock): Promise<void> {
      local.put(key, entry);
      const ttlMs = Math.ceil(leftMs(entry, clock));
      if (redis === undefined || ttlMs <= 0) return lock?.release();
      try {
        const isStored = await redis.publish(key, entry, ttlMs, lock);
        lock?.stopRenewal();
        if (isStored) onEvent('redis', 'stored');
      } catch {
        onEvent('redis', 'failed');
        await lock?.release();
      }
    },
  };
}
