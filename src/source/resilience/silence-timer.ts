// Measures how long a source has been silent, so that a source that hangs is noticed before the first call times out.

/**
 * Creates a timer that measures how long a source has had running calls and has answered none of them. `monotonic` is a
 * clock that never jumps, in milliseconds.
 */
export function createSilenceTimer(monotonic: () => number) {
  let active = 0;
  let sinceMs = 0;
  let earlierMs = 0;
  const ms = () => earlierMs + (active > 0 ? monotonic() - sinceMs : 0);
  return {
    /** Milliseconds of silence so far; time without a running call does not count. */
    ms,
    get isRunning() {
      return active > 0;
    },
    /** Creates a function that says if the silence has lasted for `limitMs`. The function keeps only this timer in memory. */
    hasLasted: (limitMs: number) => () => ms() >= limitMs,
    callStarted() {
      if (active === 0) sinceMs = monotonic();
      active += 1;
    },
    callEnded(hasAnswered: boolean) {
      earlierMs = hasAnswered ? 0 : ms();
      sinceMs = monotonic();
      active -= 1;
    },
  };
}

/** A shorter silence, in milliseconds, is no reason to check the source. */
export const SILENT_MS_MIN = 250;

/**
 * Adds a check to a silence timer: while calls run, `onSilent` is called again and again once the silence has lasted for
 * `silentMs`. Its argument is the start of the silence.
 */
export function checkSilence(
  silence: ReturnType<typeof createSilenceTimer>,
  silentMs: number,
  monotonic: () => number,
  onSilent: (sinceMs: number) => void,
) {
  let timer: NodeJS.Timeout | undefined;

  function checkAfter(afterMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!silence.isRunning) return;
      const ms = silence.ms();
      if (ms >= silentMs) onSilent(monotonic() - ms);
      checkAfter(ms < silentMs ? silentMs - ms : silentMs);
    }, afterMs).unref();
  }

  return {
    ms: silence.ms,
    callStarted() {
      silence.callStarted();
      checkAfter(Math.max(SILENT_MS_MIN, silentMs - silence.ms()));
    },
    callEnded(hasAnswered: boolean) {
      silence.callEnded(hasAnswered);
      if (silence.isRunning) return;
      // A timer would keep this source in memory, with its credential, after a reload has taken it away.
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
