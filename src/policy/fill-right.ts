import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import type { Cache } from '../store/cache.ts';
import type { CacheEntry } from '../store/cache-entry.ts';
import type { Lease } from '../store/lease.ts';

/** What somebody else has made meanwhile; or the right to make it, without a lease where the fleet cannot be asked. */
export type FillRight =
  { readonly entry: CacheEntry } | { readonly entry: undefined; readonly lease: Lease | undefined };

export type FillRightDeps = {
  readonly cache: Pick<Cache, 'far' | 'lease' | 'isShared'>;
  readonly clock: Clock;
  readonly isFresh: (entry: CacheEntry) => boolean;
};

const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 100;
/** Waiting for another process ends here, though it is alive: its fill may be slower than one of ours. */
const PATIENCE_MS = 5_000;
const ALONE: FillRight = { entry: undefined, lease: undefined };

/**
 * Waits until this process may fill a key, or until another one has. The lease of a holder that dies ends by itself;
 * where Redis does not answer, everybody may fill.
 */
export function createFillRight({ cache, clock, isFresh }: FillRightDeps) {
  async function tryOnce(key: string): Promise<FillRight | 'taken'> {
    let lease: Lease | undefined;
    try {
      lease = await cache.lease(key);
      // Whoever had the right until now may have put an answer there a moment ago.
      const entry = await cache.far(key);
      if (entry === undefined || !isFresh(entry))
        return lease === undefined ? 'taken' : { entry: undefined, lease };
      void lease?.release();
      return { entry };
    } catch {
      void lease?.release();
      return ALONE;
    }
  }

  return async function fillRight(key: string, signal: AbortSignal): Promise<FillRight> {
    if (!cache.isShared) return ALONE;
    const patienceEnds = clock.monotonic() + PATIENCE_MS;
    for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
      const right = await tryOnce(key);
      if (right !== 'taken') return right;
      if (clock.monotonic() >= patienceEnds) return ALONE;
      await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
    }
  };
}
