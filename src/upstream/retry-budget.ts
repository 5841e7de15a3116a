/** How many calls may be sent again: a part of all, so that retries never are the load that keeps a source down. */
export type RetryBudget = {
  /** A call was made for the first time. */
  earn(): void;
  /** Takes the right to send one call again; false where there is none. */
  spend(): boolean;
};

/** Rights that were not used are kept up to here. */
const KEPT_MAX = 10;
/** Where hardly any calls are made, one may be sent again that often nevertheless. */
const LEAST_EVERY_MS = 10_000;

/**
 * Creates a budget. Within any time it grants `percent` of the calls made, those kept from before, and one for every
 * ten seconds.
 */
export function createRetryBudget(percent: number, monotonic: () => number): RetryBudget {
  // In hundredths, so that they add up without a remainder.
  let kept = 0;
  let sparedAt = -Infinity;
  return {
    earn: () => void (kept = Math.min(KEPT_MAX * 100, kept + percent)),
    spend() {
      if (kept >= 100) {
        kept -= 100;
        return true;
      }
      if (percent === 0 || monotonic() - sparedAt < LEAST_EVERY_MS) return false;
      sparedAt = monotonic();
      return true;
    },
  };
}
