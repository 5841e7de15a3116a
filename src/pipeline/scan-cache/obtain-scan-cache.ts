import { randomBytes } from 'node:crypto';
import type { ScanPlan } from '../../source/adapter/plan/plan.ts';
import type { BackgroundTasks } from '../../kernel/background-tasks.ts';
import type { ScanCache } from '../../store/scan-cache/local-scan-cache.ts';
import { createScanLock } from '../../store/scan-cache/scan-lock.ts';
import type { FencedLock } from '../../store/redis/distributed-lock.ts';
import type { KnownScanCaches } from './known-scan-caches.ts';
import { isPlanFailure, type PlanFailure } from '../reading/windows/plan-failure.ts';
import { scan } from '../reading/scan/scan.ts';
import type { CallContext, SourceRuntime } from '../reading/windows/source-runtime.ts';

/** Makes scan caches: a single flight in the fleet, if it shares them. */
export type ScanCacheFills = {
  /** A scan cache newer than `than`: the fleet's, or one of an own scan. */
  obtain(plan: ScanPlan, context: CallContext, than: number): Promise<ScanCache | PlanFailure>;
  /** Scans; with a lock, the rows are published in the background. */
  take(plan: ScanPlan, context: CallContext, lock: FencedLock | undefined): Promise<ScanCache | PlanFailure>;
};

/** Creates what scans a resource of a source. */
export function createScanCacheFills(
  source: SourceRuntime,
  known: KnownScanCaches,
  tasks: BackgroundTasks,
): ScanCacheFills {
  const { clock, budget } = source;
  const { shared, lifeMs, newerOf } = known;
  const lockScan = shared && createScanLock({ shared, clock, lifeMs, patienceMs: budget.time, newerOf });

  async function take(
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
    take,
    async obtain(plan, context, than) {
      if (lockScan === undefined) return take(plan, context, undefined);
      const got = await tasks.within(context.signal, (signal) => lockScan(plan.key, than, signal));
      return got.found === undefined ? take(plan, context, got.lock) : known.keep(plan.key, got.found);
    },
  };
}
