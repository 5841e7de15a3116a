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
