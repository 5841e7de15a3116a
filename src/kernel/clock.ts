/** The clock; injected so that tests can set it. Its functions need no `this`, so that they can be passed on alone. */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock in milliseconds, for durations. */
  readonly monotonic: () => number;
};

/** The clock of this machine. `monotonic` begins with the process, so its values mean nothing to another process. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
