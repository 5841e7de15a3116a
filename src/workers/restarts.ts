/** What becomes of a worker's place once it has died: it is filled after a while, or everything is given up. */
export type Verdict = { readonly afterMs: number } | 'give up';

/** Bounds how often workers that die are replaced. */
export type Restarts = {
  /** A worker has died `livedMs` after its start, `othersServe` without it. */
  died(livedMs: number, othersServe: boolean): Verdict;
};

/** Whoever lived that long was sound when it started. */
const SOUND_MS = 10_000;
const DELAY_MS = 100;
const DELAY_MS_MAX = 10_000;
/** So many in a row that died young, the last with nobody left who serves, and it is no use. */
const YOUNG_MAX = 5;

/** Creates the count of one primary's workers. */
export function createRestarts(): Restarts {
  let young = 0;
  return {
    died(livedMs, othersServe) {
      young = livedMs >= SOUND_MS ? 0 : young + 1;
      if (young >= YOUNG_MAX && !othersServe) return 'give up';
      return { afterMs: young === 0 ? 0 : Math.min(DELAY_MS_MAX, DELAY_MS * 2 ** (young - 1)) };
    },
  };
}
