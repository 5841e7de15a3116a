/** The clock; injected so that tests can set it. Its functions need no `this`, so that they can be passed on alone. */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock in milliseconds, for durations. */
  readonly monotonic: () => number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
