import type { Clock } from '../../kernel/clock.ts';
import { acquireOrWait, type FoundOrLock } from '../fleet-single-flight.ts';
import type { FencedLock } from '../redis/distributed-lock.ts';
import type { ScanCache } from './local-scan-cache.ts';
import type { RedisScanCaches } from './redis-scan-caches.ts';

/**
 * All times are milliseconds. `newerOf` is asked once the lock was tried, because its last holder may just have
 * published.
 */
export type ScanLockDeps = {
  readonly shared: Pick<RedisScanCaches, 'lock'>;
  readonly clock: Clock;
  /** The lifetime of a scan's scan cache. */
  readonly lifeMs: number;
  /** How long a scan may take, and so how long to wait for that of another process. */
  readonly patienceMs: number;
  /** The fleet's scan cache, if it is newer than `than`. Rejects if Redis does not answer. */
  readonly newerOf: (key: string, than: number) => Promise<ScanCache | undefined>;
};

/**
 * Creates the function that lets one process of the fleet scan while the others wait for its scan cache. Without Redis, or
 * after `patienceMs`, each process scans for itself.
 */
export function createScanLock({ shared, clock, lifeMs, patienceMs, newerOf }: ScanLockDeps) {
  // A scan cache that has outlived its life is not published, so nobody writes later than a scan and that life after the lock.
  const fenceMs = 2 * (patienceMs + lifeMs);

  async function findOrLock(key: string, than: number): Promise<FoundOrLock<ScanCache, FencedLock>> {
    const lock = await shared.lock(key, fenceMs);
    try {
      // The last holder may have published a moment ago.
      return { found: await newerOf(key, than), lock };
    } catch (error) {
      await lock?.release();
      throw error;
    }
  }

  const wait = { clock, pausesMs: [10, 200], patienceMs } as const;
  return function lockScan(key: string, than: number, signal: AbortSignal) {
    return acquireOrWait(() => findOrLock(key, than), wait, signal);
  };
}
