// Bounds what the calls of one caller add to the CUSUM of failures, so that one caller cannot roll a migration back alone.

import { FAILING_MAX } from '../evidence/delta.ts';
import { CUSUM_LIMIT, nextCusum } from './cusum.ts';

/** What each caller and shape of question has added to the CUSUM, by their entry in `OperationEvidence.failing`. */
export type FailureShares = Readonly<Record<string, number>>;

/** A CUSUM in which one caller and shape of question have a bounded part. */
export type BoundedCusum = { readonly cusum: number; readonly shares: FailureShares };

/** The most that one caller adds by questions of one shape, and by questions of all shapes. */
const SHAPE_MAX = CUSUM_LIMIT / 3;
const CALLER_MAX = 2 * SHAPE_MAX;
/** A smaller share is forgotten. So there are at most some 200 of them, because their sum is below the limit. */
const SHARE_MIN = 0.05;

/** The shape of the question of a failure. */
export const shapeOfFailure = (entry: string): string => entry.slice(entry.indexOf(' ') + 1);
const callerOf = (entry: string) => entry.slice(0, entry.indexOf(' ') + 1);

/** How much a failure of a caller and shape may still add. */
function roomOf(entry: string, shares: ReadonlyMap<string, number>): number {
  const caller = callerOf(entry);
  let ofCaller = 0;
  for (const [other, share] of shares) if (callerOf(other) === caller) ofCaller += share;
  return Math.max(0, Math.min(SHAPE_MAX - (shares.get(entry) ?? 0), CALLER_MAX - ofCaller));
}

/** The entries of the last failures. Those of which it is not known whose they were count as one caller's. */
export function lastFailing(failing: readonly string[], failed: number): readonly string[] {
  return Array.from({ length: Math.min(failed, FAILING_MAX) }, (_, index) => failing[index] ?? '');
}

/** Adds the failures since the last look, each within the bounds. Answers then shrink all shares alike. */
export function nextBoundedCusum(
  before: BoundedCusum,
  failing: readonly string[],
  answered: number,
): BoundedCusum {
  const shares = new Map(Object.entries(before.shares));
  const failure = nextCusum(0, { failed: 1, answered: 0 });
  let sum = before.cusum;
  for (const entry of failing) {
    const more = Math.min(failure, roomOf(entry, shares));
    shares.set(entry, (shares.get(entry) ?? 0) + more);
    sum += more;
  }
  const cusum = nextCusum(sum, { failed: 0, answered });
  const left = sum === 0 ? 0 : cusum / sum;
  const shrunk = Array.from(shares, ([entry, share]) => [entry, share * left] as const);
  return { cusum, shares: Object.fromEntries(shrunk.filter(([, share]) => share >= SHARE_MIN)) };
}
