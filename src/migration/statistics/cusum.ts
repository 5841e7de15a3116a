// The statistical test that finds a rise in the failures of the new source.

/** The share of failures that is usual, and the one that is not accepted: a failure adds 2.303, an answer takes 0.046. */
const FAILURES = { usual: 0.005, unaccepted: 0.05 };

/** The judge rolls back at this value. Four failures in a row reach it, or six among twenty calls. */
export const CUSUM_LIMIT = 9.2;

/**
 * The CUSUM (Page's test) of failures: evidence for a share of failures of 5 % against one of 0.5 %, or for other shares, which
 * never falls below 0. It needs no window: it stands at 0 for months and reaches the limit after some failures close together.
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
