/** The pause that a source requested by `Retry-After`: no call is sent before it is over. */
export type SourcePause = {
  /** Milliseconds until the source may be called again; 0: now. */
  readonly waitMs: number;
  /** Starts or extends the pause; the longest requested one counts. */
  request(seconds: number): void;
};

/** Creates a pause that is not running. No pause lasts longer than `pauseMaxMs`; 0 switches pauses off. */
export function createSourcePause(
  pauseMaxMs: number,
  monotonic: () => number,
  onPause: (seconds: number) => void,
): SourcePause {
  let untilMs = -Infinity;
  const waitMs = () => Math.max(0, untilMs - monotonic());
  return {
    get waitMs() {
      return waitMs();
    },
    request(seconds) {
      const wantedMs = Math.min(seconds * 1_000, pauseMaxMs);
      if (wantedMs <= 0) return;
      if (waitMs() === 0) onPause(wantedMs / 1_000);
      untilMs = Math.max(untilMs, monotonic() + wantedMs);
    },
  };
}
