/** The bucket holds at most this many tokens. */
const TOKENS_MAX = 10;
/** One retry in this time is always allowed, for sources with few calls. */
const FREE_RETRY_EVERY_MS = 10_000;

/**
 * Creates a token bucket for retries. It keeps retries a small part of all calls, so that they never keep a source down. Each
 * call earns `percent` of a token, and one more retry is free every ten seconds.
 */
export function createRetryBudget(percent: number, monotonic: () => number) {
  // Counted in hundredths of a token, so that parts add up exactly.
  let hundredths = 0;
  let lastFreeAt = -Infinity;
  return {
    /** Adds a part of a token because a call begins, even if the call is then refused. */
    earn: () => void (hundredths = Math.min(TOKENS_MAX * 100, hundredths + percent)),
    /** Takes a token for one retry; false if there is none. */
    spend(): boolean {
      if (hundredths >= 100) {
        hundredths -= 100;
        return true;
      }
      if (percent === 0 || monotonic() - lastFreeAt < FREE_RETRY_EVERY_MS) return false;
      lastFreeAt = monotonic();
      return true;
    },
  };
}
