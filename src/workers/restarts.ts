import { createRestartBackoff } from './restart-backoff.ts';

/** Schedules the restarts of crashed workers. */
export type Restarts = {
  /** Schedules a restart, or gives up. See `RestartBackoff`. */
  onCrash(livedMs: number, othersServe: boolean): void;
  /** True between a crash and its restart. */
  readonly pending: boolean;
  stop(): void;
  /** Resolves with the reason once no restart would help any more. */
  readonly givenUp: Promise<string>;
};

/** Creates the schedule. `restart` is called when the delay after a crash is over. */
export function createRestarts(restart: () => void): Restarts {
  const backoff = createRestartBackoff();
  const givenUp = Promise.withResolvers<string>();
  let timer: NodeJS.Timeout | undefined;
  return {
    onCrash(livedMs, othersServe) {
      const decision = backoff.onCrash(livedMs, othersServe);
      if (decision.kind === 'give up') {
        givenUp.resolve('workers crash again and again, and none serves any more');
        return;
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        restart();
      }, decision.afterMs);
    },
    get pending() {
      return timer !== undefined;
    },
    stop: () => clearTimeout(timer),
    givenUp: givenUp.promise,
  };
}
