// Scans for a new scan cache, so that only one process of the fleet scans at a time.

import { randomBytes } from 'node:crypto';
import type { ScanPlan } from '../../source/adapter/plan/plan.ts';
import type { BackgroundTasks } from '../../kernel/background-tasks.ts';
import type { ScanCache } from '../../store/scan-cache/local-scan-cache.ts';
import { acquireOrWait } from '../../store/fleet-single-flight.ts';
import type { FencedLock } from '../../store/redis/distributed-lock.ts';
import type { KnownScanCaches } from './known-scan-caches.ts';
import { isPlanFailure, type PlanFailure } from '../reading/windows/plan-failure.ts';
import { scan } from '../reading/scan/scan.ts';
import type { CallContext, SourceRuntime } from '../reading/windows/source-runtime.ts';

/**
 * Creates the function that lets one process of the fleet scan, while the others wait for its scan cache. Without Redis, or
 * if `budget.time` has passed, each process scans for itself.
 */
function createScanLock({ clock, budget }: SourceRuntime, { shared, lifeMs, newerOf }: KnownScanCaches) {
  if (shared === undefined) return undefined;
  // No process publishes a scan cache after its life, so the last write comes before this time is over.
  const fenceMs = 2 * (budget.time + lifeMs);
  const wait = { clock, pausesMs: [10, 200], patienceMs: budget.time } as const;

  return function lockScan(key: string, than: number, signal: AbortSignal) {
    async function findOrLock() {
      const lock = await shared?.lock(key, fenceMs);
      try {
        // The last holder of the lock may have published a moment ago.
        return { found: await newerOf(key, than), lock };
      } catch (error) {
        await lock?.release();
        throw error;
      }
    }
    return acquireOrWait(findOrLock, wait, signal);
  };
}

/** Creates the functions that scan one resource: `scanNow` in any case, `obtain` only if the fleet has no new scan cache. */
export function createScanCacheFills(source: SourceRuntime, known: KnownScanCaches, tasks: BackgroundTasks) {
  const { clock } = source;
  const { shared } = known;
  const lockScan = createScanLock(source, known);

  /** Scans. If it has the lock, it publishes the rows to the fleet in the background. */
  async function scanNow(
    plan: ScanPlan,
    context: CallContext,
    lock: FencedLock | undefined,
  ): Promise<ScanCache | PlanFailure> {
    const storedAt = clock.now();
    const name = randomBytes(12).toString('base64url');
    let isPublishing = false;
    try {
      const table = await tasks.within(context.signal, (signal) =>
        scan(source, plan, name, { ...context, signal }),
      );
      if (isPlanFailure(table)) return table;
      const scanCache = known.keepTable(plan.key, table, storedAt);
      const ttlMs = Math.floor(known.leftMs(scanCache));
      if (shared !== undefined && lock !== undefined && ttlMs > 0) {
        isPublishing = true;
        tasks.run((signal) =>
          shared.publish(plan.key, lock, { table, storedAt, ttlMs }, signal).finally(() => lock.release()),
        );
      }
      return scanCache;
    } finally {
      if (!isPublishing && lock !== undefined) tasks.run(() => lock.release());
    }
  }

  return {
    scanNow,
    /** Gets a scan cache that is newer than `than`: from the fleet, or by a scan. */
    async obtain(plan: ScanPlan, context: CallContext, than: number): Promise<ScanCache | PlanFailure> {
      if (lockScan === undefined) return scanNow(plan, context, undefined);
      const got = await tasks.within(context.signal, (signal) => lockScan(plan.key, than, signal));
      return got.found === undefined ? scanNow(plan, context, got.lock) : known.keep(plan.key, got.found);
    },
  };
}
