// CUSUM, the statistical test by which the judge finds a rise in the failures of the new source.

/** The usual share of failures, and the share that is not accepted. A failure adds 2.303, an answer subtracts 0.046. */
const FAILURES = { usual: 0.005, unaccepted: 0.05 };

/** The judge rolls back at this value: after four failures in a row, or six in twenty calls. */
export const CUSUM_LIMIT = 9.2;

/**
 * The CUSUM (Page's test) of failures: the log likelihood ratio of a failure share of 5 % (`unaccepted`) against 0.5 % (`usual`),
 * never below 0. It needs no time window: it stays near 0 for months, and a few failures close together reach the limit.
 */
export function nextCusum(
  before: number,
  calls: { readonly failed: number; readonly answered: number },
  { usual, unaccepted } = FAILURES,
): number {
  const failure = Math.log(unaccepted / usual);
  const answer = Math.log((1 - unaccepted) / (1 - usual));
  return Math.max(0, before + calls.failed * failure + calls.answered * answer);
}

/** How much each caller and shape of question has added to the CUSUM, by the entry in `OperationCounts.failing`. */
export type FailureShares = Readonly<Record<string, number>>;

/** A CUSUM to which one caller can add only a part, so that one caller alone cannot roll a migration back. */
export type BoundedCusum = { readonly cusum: number; readonly shares: FailureShares };

/** The most that one caller can add with questions of one shape, and with all questions. */
const SHAPE_MAX = CUSUM_LIMIT / 3;
const CALLER_MAX = 2 * SHAPE_MAX;
/** Smaller shares are forgotten. Because their sum is below the limit, there are never more than about 200 shares. */
const SHARE_MIN = 0.05;

/** The shape of the question in an entry of `OperationCounts.failing`. */
export const shapeOfFailure = (entry: string): string => entry.slice(entry.indexOf(' ') + 1);
const callerOf = (entry: string) => entry.slice(0, entry.indexOf(' ') + 1);

/** How much a failure of a caller and shape may still add. */
function allowanceOf(entry: string, shares: ReadonlyMap<string, number>): number {
  const caller = callerOf(entry);
  let ofCaller = 0;
  for (const [other, share] of shares) if (callerOf(other) === caller) ofCaller += share;
  return Math.max(0, Math.min(SHAPE_MAX - (shares.get(entry) ?? 0), CALLER_MAX - ofCaller));
}

/** Adds the failures since the last round, each within its caller's limits. Then `answered` calls reduce all shares alike. */
export function nextBoundedCusum(
  before: BoundedCusum,
  failing: readonly string[],
  answered: number,
): BoundedCusum {
  const shares = new Map(Object.entries(before.shares));
  const failure = nextCusum(0, { failed: 1, answered: 0 });
  let sum = before.cusum;
  for (const entry of failing) {
    const more = Math.min(failure, allowanceOf(entry, shares));
    shares.set(entry, (shares.get(entry) ?? 0) + more);
    sum += more;
  }
  const cusum = nextCusum(sum, { failed: 0, answered });
  const left = sum === 0 ? 0 : cusum / sum;
  const shrunk = Array.from(shares, ([entry, share]) => [entry, share * left] as const);
  return { cusum, shares: Object.fromEntries(shrunk.filter(([, share]) => share >= SHARE_MIN)) };
}
