/** What to do after a crash: start another worker after a delay, or give up. */
export type RestartDecision =
  { readonly kind: 'restart'; readonly afterMs: number } | { readonly kind: 'give up' };

/** An exponential back-off for workers that crash. */
export type RestartBackoff = {
  /** Call it when a worker crashes. `livedMs` counts from its start; `othersServe` says whether any other serves. */
  onCrash(livedMs: number, othersServe: boolean): RestartDecision;
};

/** A worker that lived so long had started well. */
const HEALTHY_MS = 10_000;
const DELAY_MS = 100;
const DELAY_MS_MAX = 10_000;
/** After so many early crashes in a row, with no worker left that serves, another start would not help. */
const EARLY_CRASHES_MAX = 5;

/** Creates the back-off of one primary. */
export function createRestartBackoff(): RestartBackoff {
  let earlyCrashes = 0;
  return {
    onCrash(livedMs, othersServe) {
      earlyCrashes = livedMs >= HEALTHY_MS ? 0 : earlyCrashes + 1;
      if (earlyCrashes >= EARLY_CRASHES_MAX && !othersServe) return { kind: 'give up' };
      const afterMs = earlyCrashes === 0 ? 0 : Math.min(DELAY_MS_MAX, DELAY_MS * 2 ** (earlyCrashes - 1));
      return { kind: 'restart', afterMs };
    },
  };
}
