// Stops comparisons for a while if the source that they ask fails, so that they do not burden it further.

import { createFailureRate } from '../../source/resilience/failure-rate.ts';
import type { ComparisonCall } from './comparison-call.ts';

/** Comparisons pause for `OPEN_MS` if at least half of ten or more calls in ten seconds have failed. */
const OPTIONS = { calls: 10, windowMs: 10_000, failuresPercent: 50 };
const OPEN_MS = 30_000;

/**
 * Creates the breaker of comparison calls to one source. It is separate from the breaker for callers, so that failures of
 * comparisons do not affect callers.
 */
export function createComparisonBreaker(monotonic: () => number) {
  let rate = createFailureRate(OPTIONS, monotonic);
  let openUntilMs = -Infinity;
  return {
    get isOpen(): boolean {
      return monotonic() < openUntilMs;
    },
    /** Counts the outcome of a call. */
    record({ kind }: ComparisonCall): void {
      if (kind === 'skipped' || rate.add(kind === 'failed' ? 'failure' : 'success') === 'fine') return;
      openUntilMs = monotonic() + OPEN_MS;
      rate = createFailureRate(OPTIONS, monotonic);
    },
  };
}
