/** How many calls ended within the last stretch of time, and how many of them badly. */
export type SlidingCounter = {
  readonly total: number;
  readonly bad: number;
  add(isBad: boolean): void;
  clear(): void;
};

/** The stretch moves on in steps of a tenth of it. */
const SLICES = 10;

/** Creates a tally over the last `windowMs`; `monotonic` is a clock that never jumps, in milliseconds. */
export function createSlidingCounter(windowMs: number, monotonic: () => number): SlidingCounter {
  const sliceMs = windowMs / SLICES;
  const totals = new Array<number>(SLICES).fill(0);
  const bads = new Array<number>(SLICES).fill(0);
  let [total, bad] = [0, 0];
  /** The number of the newest slice, since the clock began. */
  let newest = Math.floor(monotonic() / sliceMs);

  function empty(index: number): void {
    total -= totals[index] ?? 0;
    bad -= bads[index] ?? 0;
    totals[index] = 0;
    bads[index] = 0;
  }

  /** Forgets what is too old; where nothing was counted for long, that is everything. */
  function moveOn(): number {
    const now = Math.floor(monotonic() / sliceMs);
    for (let passed = Math.max(newest + 1, now - SLICES + 1); passed <= now; passed += 1)
      empty(passed % SLICES);
    newest = now;
    return now % SLICES;
  }

  return {
    get total() {
      return total;
    },
    get bad() {
      return bad;
    },
    add(isBad) {
      const index = moveOn();
      totals[index] = (totals[index] ?? 0) + 1;
      total += 1;
      if (!isBad) return;
      bads[index] = (bads[index] ?? 0) + 1;
      bad += 1;
    },
    clear() {
      for (let index = 0; index < SLICES; index += 1) empty(index);
    },
  };
}
