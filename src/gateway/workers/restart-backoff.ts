// Restarts workers that crash, for the supervisor: after an increasing delay, and not at all if no worker can serve.

/** A worker that has lived for this time had started well. */
const HEALTHY_MS = 10_000;
const DELAY_MS = 100;
const DELAY_MS_MAX = 10_000;
/** If this number of workers in a row crash early and no worker serves, another start would not help. */
const EARLY_CRASHES_MAX = 5;

/** Creates an exponential back-off for workers that crash. `restart` is called once the delay after a crash is over. */
export function createRestartBackoff(restart: () => void, after = setTimeout) {
  const givenUp = Promise.withResolvers<string>();
  let earlyCrashes = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    /**
     * Schedules a restart, or gives up. Call it when a worker crashes. `livedMs`: how long the worker lived; `othersServe`:
     * whether another worker serves.
     */
    onCrash(livedMs: number, othersServe: boolean): void {
      earlyCrashes = livedMs >= HEALTHY_MS ? 0 : earlyCrashes + 1;
      if (earlyCrashes >= EARLY_CRASHES_MAX && !othersServe) {
        givenUp.resolve('workers crash again and again, and none serves any more');
        return;
      }
      const delayMs = earlyCrashes === 0 ? 0 : Math.min(DELAY_MS_MAX, DELAY_MS * 2 ** (earlyCrashes - 1));
      clearTimeout(timer);
      timer = after(() => {
        timer = undefined;
        restart();
      }, delayMs);
    },
    /** True between a crash and the restart. */
    get pending() {
      return timer !== undefined;
    },
    stop: () => clearTimeout(timer),
    /** Resolves with the reason once another restart would not help. */
    givenUp: givenUp.promise,
  };
}
