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

/** The clock of this machine. `monotonic` begins with the process, so its values mean nothing to another process. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
