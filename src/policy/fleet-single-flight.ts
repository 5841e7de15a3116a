import type { Clock } from '../kernel/clock.ts';
import type { Cache, EntryOrLock } from '../store/cache/cache.ts';
import type { CacheEntry } from '../store/cache/cache-entry.ts';
import { acquireOrWait } from '../store/distributed-lock.ts';

export type FillRightDeps = {
  readonly cache: Pick<Cache, 'getOrLock' | 'isShared'>;
  readonly clock: Clock;
  readonly isFresh: (entry: CacheEntry) => boolean;
};

const PATIENCE = {
  pausesMs: [5, 100],
  // A fill of another process may be slower than one of ours.
  patienceMs: 5_000,
} as const;
const ALONE: EntryOrLock = { entry: undefined, lock: undefined };

/**
 * Waits until this process may fill a key, or until another one has. What is there already satisfies those who `look`;
 * the others want it fresh. The lock of a holder that dies ends by itself; where Redis does not answer, everybody may
 * fill, without a lock.
 */
export function createFillRight({ cache, clock, isFresh }: FillRightDeps) {
  async function tryOnce(key: string, purpose: 'look' | 'fill'): Promise<EntryOrLock | undefined> {
    try {
      const { entry, lock } = await cache.getOrLock(key, purpose);
      if (entry === undefined || (purpose === 'fill' && !isFresh(entry)))
        return lock && { entry: undefined, lock };
      // Whoever had the right until now has put an answer there a moment ago.
      void lock?.release();
      return { entry, lock: undefined };
    } catch {
      return ALONE;
    }
  }

  const patience = { ...PATIENCE, clock };
  return async function fillRight(
    key: string,
    purpose: 'look' | 'fill',
    signal: AbortSignal,
  ): Promise<EntryOrLock> {
    if (!cache.isShared) return ALONE;
    return (await acquireOrWait(() => tryOnce(key, purpose), patience, signal)) ?? ALONE;
  };
}
