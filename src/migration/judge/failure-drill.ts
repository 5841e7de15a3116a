// The rules of a rehearsal, in which comparison calls to the new source are made to fail in `shadow`.

import type { OperationCounts } from '../counts/migration-counts.ts';
import type { MigrationState } from '../state/migration-state.ts';
import { CUSUM_LIMIT } from '../statistics/cusum.ts';

/**
 * A rehearsal. For a comparison, the source that did not serve the caller gets a call of its own, which no caller waits for.
 * During a rehearsal a share of these calls is made to fail, so that the judge sees what it would see of a ramp with a broken source.
 */
export type FailureDrill = NonNullable<MigrationState['rehearsal']>;

/** How long comparison calls are made to fail. */
export const DRILL_MS = 60_000;
/** The judge needs four failed comparison calls. With twice as many expected, chance hardly leaves fewer than four. */
const FAILED_CALLS_WANTED = 8;

/**
 * The percentage of comparison calls that has to fail so that there are enough failures: 1, and more where there is little
 * traffic.
 */
export function drillPercent(
  counts: Readonly<Record<string, OperationCounts>>,
  { since }: Pick<MigrationState, 'since'>,
  now: number,
): number {
  const compared = Object.values(counts).reduce(
    (sum, { match, mismatch, ignored, inconclusive, failedNew }) => {
      return sum + match + mismatch + ignored + inconclusive + failedNew;
    },
    0,
  );
  const expected = (compared * DRILL_MS) / Math.max(1, now - Date.parse(since));
  return expected === 0 ? 100 : Math.min(100, Math.max(1, Math.ceil((100 * FAILED_CALLS_WANTED) / expected)));
}

/** The state with a rehearsal that runs. */
export function withDrill(state: MigrationState, rehearsal: FailureDrill): MigrationState {
  return { ...state, rehearsal };
}

/**
 * The state after a rehearsal. `workedAt` is the instant at which the judge would have rolled back; `undefined`: it would
 * not.
 */
export function withoutDrill(state: MigrationState, workedAt: string | undefined): MigrationState {
  const { rehearsal: _over, ...rest } = state;
  return workedAt === undefined ? rest : { ...rest, rehearsedAt: workedAt };
}

/** Whether a rehearsal makes this comparison call fail. `random` is a random number from 0 to 1. */
export function failsInDrill(
  { stage, rehearsal }: Pick<MigrationState, 'stage' | 'rehearsal'>,
  now: number,
  random: number,
): boolean {
  if (rehearsal === undefined || stage !== 'shadow') return false;
  return now < Date.parse(rehearsal.until) && random * 100 < rehearsal.percent;
}

/**
 * The last counts of a rehearsal arrive after its end: with the next write of the evidence, at the next look of the judge.
 */
const GRACE_MS = 5_000;

/** Whether a rehearsal still runs, has made the judge trip, or is over without enough failures. */
export function drillOutcome(
  rehearsal: FailureDrill,
  cusum: number,
  now: number,
): 'under_way' | 'worked' | 'too_few' {
  if (cusum >= CUSUM_LIMIT) return 'worked';
  return now < Date.parse(rehearsal.until) + GRACE_MS ? 'under_way' : 'too_few';
}
