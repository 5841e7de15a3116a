// Warms the cache of a migration's new source with what comparisons have read.

import { queryKey, type Query } from '../../contract/query.ts';
import type { Cache } from '../../store/cache/cache.ts';
import type { CacheEntry } from '../../store/cache/cache-entry.ts';
import type { EntryLock } from '../../store/cache/redis-entries.ts';
import type { Purges } from '../../store/cache/purges.ts';
import { createEntryMaker, type EntryMakerDeps } from './cache-fill.ts';
import { cacheKeyOf } from './cache-stage.ts';
import type { SourceAnswer } from './call.ts';

/** Puts an answer into the cache. It never rejects. */
export type KeepAnswer = (answer: SourceAnswer) => Promise<void>;

/** Begins to warm a cache. Call it before the source is asked, so that a purge in the meantime also ends the entry. */
export type BeginPrewarm = (operation: string, query: Query) => KeepAnswer;

/** What the warming needs. */
export type CachePrewarmDeps = EntryMakerDeps & {
  readonly cache: Cache;
  readonly purges: Pick<Purges, 'current'>;
  /** The digest in the keys of the source's cache stage. It must be the same, or nobody finds the entries. */
  readonly digest: string;
};

/**
 * Creates the function that puts answers of comparisons into the cache of the new source, so that it is warm when the source
 * begins to serve callers. `cache-fill.ts` fills it for callers. A newer entry in the cache is never replaced.
 */
export function createCachePrewarm({ cache, purges, digest, ...deps }: CachePrewarmDeps): BeginPrewarm {
  const entryOf = createEntryMaker(deps);

  /** Looks up an entry and locks it; `undefined` if another process has the lock, because it makes a newer entry. */
  async function find(key: string): Promise<{ entry: CacheEntry | undefined; lock?: EntryLock } | undefined> {
    if (!cache.isShared) return { entry: cache.local(key) };
    const { entry, lock } = await cache.getOrLock(key, 'fill');
    return lock && { entry, lock };
  }

  async function keep(key: string, made: CacheEntry): Promise<void> {
    const found = await find(key);
    if (found === undefined) return;
    if (found.entry !== undefined && found.entry.storedAt >= made.storedAt) await found.lock?.release();
    else await cache.put(key, made, found.lock);
  }

  return function begin(operation, query) {
    const purgePosition = purges.current();
    const key = cacheKeyOf(operation, digest, queryKey(query));
    return async (answer) => {
      // A missing record is not cached, so each call asks again.
      if (!answer.found) return;
      // If Redis fails, nothing is cached, which does no harm.
      await keep(key, entryOf(answer, purgePosition)).catch(() => undefined);
    };
  };
}
