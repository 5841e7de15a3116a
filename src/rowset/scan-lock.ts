import type { Clock } from '../kernel/clock.ts';
import type { RedisRowSets } from './redis-rowsets.ts';
import { acquireOrWait, type Lock } from '../store/distributed-lock.ts';
import type { RowSet } from './local-rowset.ts';

/** A row set that is there by now; or the right to scan, without a lock where the fleet cannot be asked. */
export type ScanRight = { readonly rowSet?: RowSet; readonly lock: Lock | undefined };

export type ScanRightDeps = {
  readonly shared: Pick<RedisRowSets, 'lock'>;
  readonly clock: Clock;
  /** How long the row set of a scan lives. */
  readonly lifeMs: number;
  /** How long another process' scan may take. */
  readonly patienceMs: number;
  /** The fleet's row set, where it is newer than `than`. @throws where Redis does not answer */
  readonly newerOf: (key: string, than: number) => Promise<RowSet | undefined>;
};

const PAUSES_MS = [10, 200] as const;
const ALONE: ScanRight = { lock: undefined };

/**
 * Waits until this process may scan, or until another one has. Where the holder of the right dies, its lock ends
 * and somebody else gets it; where Redis does not answer, or the others take too long, everybody may scan.
 */
export function createScanRight({ shared, clock, lifeMs, patienceMs, newerOf }: ScanRightDeps) {
  async function tryOnce(key: string, than: number): Promise<ScanRight | undefined> {
    let lock: Lock | undefined;
    try {
      lock = await shared.lock(key, lifeMs);
      // Whoever had the right until now may have published a moment ago.
      const rowSet = await newerOf(key, than);
      if (rowSet === undefined) return lock && { lock };
      await lock?.release();
      return { rowSet, lock: undefined };
    } catch {
      await lock?.release();
      return ALONE;
    }
  }

  const patience = { clock, pausesMs: PAUSES_MS, patienceMs };
  return async function scanRight(key: string, than: number, signal: AbortSignal): Promise<ScanRight> {
    return (await acquireOrWait(() => tryOnce(key, than), patience, signal)) ?? ALONE;
  };
}
