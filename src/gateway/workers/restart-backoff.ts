/** An exponential back-off for workers that crash. */
export type RestartBackoff = {
  /**
   * Schedules a restart, or gives up. Call it when a worker crashes. `livedMs` counts from its start; `othersServe` says
   * whether any other worker serves.
   */
  onCrash(livedMs: number, othersServe: boolean): void;
  /** True between a crash and the restart. */
  readonly pending: boolean;
  stop(): void;
  /** Resolves with the reason once another restart would not help. */
  readonly givenUp: Promise<string>;
};

/** A worker that lived so long had started well. */
const HEALTHY_MS = 10_000;
const DELAY_MS = 100;
const DELAY_MS_MAX = 10_000;
/** After so many early crashes in a row, with no worker left that serves, another start would not help. */
const EARLY_CRASHES_MAX = 5;

/** Creates the back-off of one primary. `restart` is called once the delay after a crash is over. */
export function createRestartBackoff(restart: () => void, after = setTimeout): RestartBackoff {
  const givenUp = Promise.withResolvers<string>();
  let earlyCrashes = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    onCrash(livedMs, othersServe) {
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
    get pending() {
      return timer !== undefined;
    },
    stop: () => clearTimeout(timer),
    givenUp: givenUp.promise,
  };
}
