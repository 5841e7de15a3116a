/** The clock; injected so that tests can set it. */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** A monotonic clock in milliseconds, for durations. */
  monotonic(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
