/** Measures how long a source had running calls and answered none of them. */
export type SilenceTimer = {
  /** Milliseconds of silence so far; time without a running call does not count. */
  ms(): number;
  /** Whether a call is running. */
  readonly isRunning: boolean;
  /** Makes the function that says whether it has lasted for so long. It keeps nothing but this timer in memory. */
  hasLasted(limitMs: number): () => boolean;
  callStarted(): void;
  callEnded(hasAnswered: boolean): void;
};

/** Creates a timer at 0; `monotonic` is a clock that never jumps, in milliseconds. */
export function createSilenceTimer(monotonic: () => number): SilenceTimer {
  let active = 0;
  let sinceMs = 0;
  let earlierMs = 0;
  const ms = () => earlierMs + (active > 0 ? monotonic() - sinceMs : 0);
  return {
    ms,
    get isRunning() {
      return active > 0;
    },
    hasLasted: (limitMs) => () => ms() >= limitMs,
    callStarted() {
      if (active === 0) sinceMs = monotonic();
      active += 1;
    },
    callEnded(hasAnswered) {
      earlierMs = hasAnswered ? 0 : ms();
      sinceMs = monotonic();
      active -= 1;
    },
  };
}
