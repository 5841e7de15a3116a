// Stops comparisons for a while where the source they ask fails.

import { createFailureRate } from '../../upstream/resilience/failure-rate.ts';
import type { Leg } from './leg.ts';

/**
 * The breaker of comparison calls to one source. It is apart from the breaker for callers, which must not see their
 * failures.
 */
export type LegBreaker = {
  readonly isOpen: boolean;
  /** Counts the outcome of a question. */
  record(leg: Leg): void;
};

const OPTIONS = { calls: 10, windowMs: 10_000, failuresPercent: 50 };
const OPEN_MS = 30_000;

/** Creates a closed breaker; `monotonic` is a clock that never jumps, in milliseconds. */
export function createLegBreaker(monotonic: () => number): LegBreaker {
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
