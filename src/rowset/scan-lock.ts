import type { Clock } from '../kernel/clock.ts';
import type { SharedSnapshots } from './redis-rowsets.ts';
import { awaitTurn, type Lease } from '../store/distributed-lock.ts';
import type { Snapshot } from './local-rowset.ts';

/** A snapshot that is there by now; or the right to scan, without a lease where the fleet cannot be asked. */
export type ScanRight = { readonly snapshot?: Snapshot; readonly lease: Lease | undefined };

export type ScanRightDeps = {
  readonly shared: Pick<SharedSnapshots, 'lease'>;
  readonly clock: Clock;
  /** How long the snapshot of a scan lives. */
  readonly lifeMs: number;
  /** How long another process' scan may take. */
  readonly patienceMs: number;
  /** The fleet's snapshot, where it is newer than `than`. @throws where Redis does not answer */
  readonly newerOf: (key: string, than: number) => Promise<Snapshot | undefined>;
};

const PAUSES_MS = [10, 200] as const;
const ALONE: ScanRight = { lease: undefined };

/**
 * Waits until this process may scan, or until another one has. Where the holder of the right dies, its lease ends
 * and somebody else gets it; where Redis does not answer, or the others take too long, everybody may scan.
 */
export function createScanRight({ shared, clock, lifeMs, patienceMs, newerOf }: ScanRightDeps) {
  async function tryOnce(key: string, than: number): Promise<ScanRight | undefined> {
    let lease: Lease | undefined;
    try {
      lease = await shared.lease(key, lifeMs);
      // Whoever had the right until now may have published a moment ago.
      const snapshot = await newerOf(key, than);
      if (snapshot === undefined) return lease && { lease };
      await lease?.release();
      return { snapshot, lease: undefined };
    } catch {
      await lease?.release();
      return ALONE;
    }
  }

  const patience = { clock, pausesMs: PAUSES_MS, patienceMs };
  return async function scanRight(key: string, than: number, signal: AbortSignal): Promise<ScanRight> {
    return (await awaitTurn(() => tryOnce(key, than), patience, signal)) ?? ALONE;
  };
}
