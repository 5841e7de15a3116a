// The rules of a failure drill (`portico migration rehearse`): in `shadow`, some comparison calls are made to fail on purpose.

import type { OperationCounts } from '../counts/counts-store.ts';
import type { MigrationState } from '../state/migration-state.ts';
import { CUSUM_LIMIT } from '../statistics/cusum.ts';

/**
 * A failure drill. No caller waits for a comparison call, so a share of these calls can be made to fail. The judge then sees what
 * it would see in a ramp with a broken source.
 */
type FailureDrill = NonNullable<MigrationState['rehearsal']>;

/** How long comparison calls are made to fail. */
export const DRILL_MS = 60_000;
/** The judge needs four failed calls. If eight are expected, there are hardly ever fewer than four. */
const FAILED_CALLS_WANTED = 8;

/** The percentage of comparison calls that has to fail: at least 1, and more if there is little traffic. */
export function drillPercent(
  counts: Readonly<Record<string, OperationCounts>>,
  { since }: Pick<MigrationState, 'since'>,
  now: number,
): number {
  const compared = Object.values(counts).reduce((sum, one) => {
    return sum + one.match + one.mismatch + one.ignored + one.inconclusive + one.failedNew;
  }, 0);
  const expected = (compared * DRILL_MS) / Math.max(1, now - Date.parse(since));
  return expected === 0 ? 100 : Math.min(100, Math.max(1, Math.ceil((100 * FAILED_CALLS_WANTED) / expected)));
}

/** The state after a failure drill. `workedAt` is when the judge would have rolled back; `undefined` if it would not. */
export function withoutDrill(state: MigrationState, workedAt: string | undefined): MigrationState {
  const { rehearsal: _over, ...rest } = state;
  return workedAt === undefined ? rest : { ...rest, rehearsedAt: workedAt };
}

/** Whether a failure drill makes this comparison call fail. `random` is a random number from 0 to 1. */
export function failsInDrill(
  { stage, rehearsal }: Pick<MigrationState, 'stage' | 'rehearsal'>,
  now: number,
  random: number,
): boolean {
  if (rehearsal === undefined || stage !== 'shadow') return false;
  return now < Date.parse(rehearsal.until) && random * 100 < rehearsal.percent;
}

/** The judge sees the last failed calls only some seconds after the drill, because counts are written every second. */
const GRACE_MS = 5_000;

/** Whether a failure drill still runs, has worked, or is over without enough failures. */
export function drillOutcome(
  rehearsal: FailureDrill,
  cusum: number,
  now: number,
): 'under_way' | 'worked' | 'too_few' {
  if (cusum >= CUSUM_LIMIT) return 'worked';
  return now < Date.parse(rehearsal.until) + GRACE_MS ? 'under_way' : 'too_few';
}
