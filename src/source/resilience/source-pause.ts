/**
 * Creates the pause that a source requests by `Retry-After`. No call is sent before the pause is over. No pause lasts longer than
 * `pauseMaxMs`; 0 switches pauses off.
 */
export function createSourcePause(
  pauseMaxMs: number,
  monotonic: () => number,
  onPause: (seconds: number) => void,
) {
  let untilMs = -Infinity;
  const waitMs = () => Math.max(0, untilMs - monotonic());
  return {
    /** Milliseconds until the source may be called again; 0: now. */
    get waitMs() {
      return waitMs();
    },
    /** Starts or extends the pause. If several are requested, the longest one counts. */
    request(seconds: number) {
      const wantedMs = Math.min(seconds * 1_000, pauseMaxMs);
      if (wantedMs <= 0) return;
      if (waitMs() === 0) onPause(wantedMs / 1_000);
      untilMs = Math.max(untilMs, monotonic() + wantedMs);
    },
  };
}
