import { createSlidingCounter } from './sliding-counter.ts';

/** When too many calls have failed. */
export type FailureRateOptions = {
  /** Nothing is too much until this many calls have ended within the window. */
  readonly calls: number;
  readonly windowMs: number;
  /** The percentage of failed calls that is too much. */
  readonly failuresPercent: number;
};

/** Whether too many calls have failed: surely, or only together with errors, which may be the fault of the questions. */
export type FailureLevel = 'fine' | 'too many errors' | 'too many failures';

/** The failure rate of a source over a sliding window. Errors are counted apart from failures. */
export type FailureRate = {
  add(outcome: 'success' | 'failure' | 'error'): FailureLevel;
  /** Forgets the errors so far, because the source is well. */
  forgetErrors(): void;
};

/** Creates a rate without calls; `monotonic` is a clock that never jumps, in milliseconds. */
export function createFailureRate(
  { calls, windowMs, failuresPercent }: FailureRateOptions,
  monotonic: () => number,
): FailureRate {
  const certain = createSlidingCounter(windowMs, monotonic);
  let errors = createSlidingCounter(windowMs, monotonic);
  const isTooMuch = (failed: number, total: number) =>
    total >= calls && failed * 100 >= total * failuresPercent;
  return {
    add(outcome) {
      if (outcome === 'error') errors.add(true);
      else certain.add(outcome === 'failure');
      if (outcome === 'success') return 'fine';
      const { failures, total } = certain;
      if (isTooMuch(failures, total)) return 'too many failures';
      return isTooMuch(failures + errors.total, total + errors.total) ? 'too many errors' : 'fine';
    },
    forgetErrors: () => void (errors = createSlidingCounter(windowMs, monotonic)),
  };
}
