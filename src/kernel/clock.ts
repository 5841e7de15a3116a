/** Where time comes from; injected so that tests can set it. */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for durations. */
  monotonic(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
