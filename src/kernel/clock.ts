/**
 * The clock. It is injected, so that tests can set it. Its functions do not use `this`, so each of them can be passed
 * without the clock.
 */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock in milliseconds, for durations. */
  readonly monotonic: () => number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
