// The rules of a rehearsal, in which comparison calls to the new source are made to fail in `shadow`.

import type { OperationEvidence } from '../evidence/evidence.ts';
import type { MigrationState } from '../state/migration-state.ts';
import { CUSUM_LIMIT } from './cusum.ts';

/** A rehearsal: a share of the second legs fails, as a ramp of that share would whose source is broken. */
export type Rehearsal = NonNullable<MigrationState['rehearsal']>;

/** How long second legs fail. */
export const REHEARSAL_MS = 60_000;
/** Four failed second legs are enough; with twice as many expected, chance hardly leaves too few. */
const LEGS_WANTED = 8;

/** The share of second legs that has to fail so that enough do: 1 percent, and more where there is little traffic. */
export function rehearsedPercent(
  evidence: Readonly<Record<string, OperationEvidence>>,
  { since }: Pick<MigrationState, 'since'>,
  now: number,
): number {
  const compared = Object.values(evidence).reduce(
    (sum, { match, mismatch, ignored, inconclusive, failedNew }) => {
      return sum + match + mismatch + ignored + inconclusive + failedNew;
    },
    0,
  );
  const expected = (compared * REHEARSAL_MS) / Math.max(1, now - Date.parse(since));
  return expected === 0 ? 100 : Math.min(100, Math.max(1, Math.ceil((100 * LEGS_WANTED) / expected)));
}

/** The state while a rehearsal runs. */
export function withRehearsal(state: MigrationState, rehearsal: Rehearsal): MigrationState {
  return { ...state, rehearsal };
}

/** The state after a rehearsal; with an instant where the judge would have rolled back. */
export function withoutRehearsal(state: MigrationState, workedAt: string | undefined): MigrationState {
  const { rehearsal: _over, ...rest } = state;
  return workedAt === undefined ? rest : { ...rest, rehearsedAt: workedAt };
}

/** Whether a second leg is one of those that a rehearsal makes fail. `random` is a number from 0 to 1. */
export function failsInRehearsal(
  { stage, rehearsal }: Pick<MigrationState, 'stage' | 'rehearsal'>,
  now: number,
  random: number,
): boolean {
  if (rehearsal === undefined || stage !== 'shadow') return false;
  return now < Date.parse(rehearsal.until) && random * 100 < rehearsal.percent;
}

/** Counts of a rehearsal arrive within a flush and a look of the judge after its end. */
const GRACE_MS = 5_000;

/** What has become of a rehearsal. */
export function rehearsalOutcome(
  rehearsal: Rehearsal,
  cusum: number,
  now: number,
): 'under_way' | 'worked' | 'too_few' {
  if (cusum >= CUSUM_LIMIT) return 'worked';
  return now < Date.parse(rehearsal.until) + GRACE_MS ? 'under_way' : 'too_few';
}
