// Stops comparisons for a while where the source they ask fails.

import { createFailureRate } from '../../source/resilience/failure-rate.ts';
import type { ComparisonCall } from './comparison-call.ts';

/**
 * The breaker of comparison calls to one source. It is apart from the breaker for callers, which must not see their
 * failures.
 */
export type ComparisonBreaker = {
  readonly isOpen: boolean;
  /** Counts how a call ended. */
  record(call: ComparisonCall): void;
};

const OPTIONS = { calls: 10, windowMs: 10_000, failuresPercent: 50 };
const OPEN_MS = 30_000;

/** Creates a closed breaker; `monotonic` is a clock that never jumps, in milliseconds. */
export function createComparisonBreaker(monotonic: () => number): ComparisonBreaker {
  let rate = createFailureRate(OPTIONS, monotonic);
  let openUntilMs = -Infinity;
  return {
    get isOpen() {
      return monotonic() < openUntilMs;
    },
    record({ kind }) {
      if (kind === 'skipped' || rate.add(kind === 'failed' ? 'failure' : 'success') === 'fine') return;
      openUntilMs = monotonic() + OPEN_MS;
      rate = createFailureRate(OPTIONS, monotonic);
    },
  };
}
