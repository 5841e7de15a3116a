// Counts the calls to a source that ended within a sliding window, and those that failed, for its breakers.

/** The number of slices of a window. The window moves by one slice at a time. */
const SLICES = 10;

/**
 * Creates a sliding-window counter of the calls that ended within the last `windowMs`, and of those that failed. `monotonic`
 * is a clock that never jumps, in milliseconds.
 */
export function createSlidingCounter(windowMs: number, monotonic: () => number) {
  const sliceMs = windowMs / SLICES;
  const slices = Array.from({ length: SLICES }, () => ({ total: 0, failures: 0 }));
  const sum = { total: 0, failures: 0 };
  const sliceNumber = () => Math.floor(monotonic() / sliceMs);
  let newest = sliceNumber();

  /** Empties the slices that have left the window, which may be all of them. */
  function currentSlice() {
    const now = sliceNumber();
    for (let number = Math.max(newest + 1, now - SLICES + 1); number <= now; number += 1) {
      const slice = slices[number % SLICES] as (typeof slices)[number];
      sum.total -= slice.total;
      sum.failures -= slice.failures;
      slice.total = slice.failures = 0;
    }
    newest = now;
    return slices[now % SLICES] as (typeof slices)[number];
  }

  return {
    get total() {
      currentSlice();
      return sum.total;
    },
    get failures() {
      currentSlice();
      return sum.failures;
    },
    add(isFailure: boolean): void {
      for (const count of [currentSlice(), sum]) {
        count.total += 1;
        if (isFailure) count.failures += 1;
      }
    },
  };
}

/** The limits beyond which too many calls have failed. */
export type FailureRateOptions = {
  /** If fewer calls than this ended within the window, the failures are never too many. */
  readonly calls: number;
  readonly windowMs: number;
  /** The percentage of failed calls from which too many have failed. */
  readonly failuresPercent: number;
};

/**
 * Creates the failure rate of a source over a sliding window. Errors and timeouts are counted apart from failures, because
 * they may be the fault of what was asked. `monotonic` is a clock that never jumps, in milliseconds.
 */
export function createFailureRate(
  { calls, windowMs, failuresPercent }: FailureRateOptions,
  monotonic: () => number,
) {
  const certain = createSlidingCounter(windowMs, monotonic);
  let errors = createSlidingCounter(windowMs, monotonic);
  let timeouts = createSlidingCounter(windowMs, monotonic);
  const isTooMuch = (failed: number, total: number) =>
    total >= calls && failed * 100 >= total * failuresPercent;
  return {
    /**
     * Counts a call, and returns whether too many have failed: by failures alone, or only together with timeouts and errors.
     * `some timeouts`: not too many, but there are timeouts for a quarter of `calls`.
     */
    add(
      outcome: 'success' | 'failure' | 'timeout' | 'error',
    ): 'fine' | 'some timeouts' | 'too many errors' | 'too many timeouts' | 'too many failures' {
      if (outcome === 'error') errors.add(true);
      else if (outcome === 'timeout') timeouts.add(true);
      else certain.add(outcome === 'failure');
      if (outcome === 'success') return 'fine';
      const { failures, total } = certain;
      if (isTooMuch(failures, total)) return 'too many failures';
      const late = timeouts.total;
      if (isTooMuch(failures + late, total + late)) return 'too many timeouts';
      const doubtful = late + errors.total;
      if (isTooMuch(failures + doubtful, total + doubtful)) return 'too many errors';
      return outcome === 'timeout' && late * 4 >= calls ? 'some timeouts' : 'fine';
    },
    /** Forgets the errors so far, because the source is well. */
    forgetErrors: () => void (errors = createSlidingCounter(windowMs, monotonic)),
    /** Forgets the timeouts so far, because the source is well. */
    forgetTimeouts: () => void (timeouts = createSlidingCounter(windowMs, monotonic)),
  };
}
