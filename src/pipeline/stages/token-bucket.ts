import type { Clock } from '../../kernel/clock.ts';

/**
 * A token bucket: `burst` tokens, refilled at `perSecond`. For failures it is charged once the outcome is known, so
 * successes are free, however many there are at once.
 */
export type TokenBucket = ReturnType<typeof createTokenBucket>;

/** Creates a full token bucket. */
export function createTokenBucket(burst: number, perSecond: number, clock: Clock) {
  let tokens = burst;
  let refilledAt = clock.monotonic();

  function refill(): void {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - refilledAt) / 1_000) * perSecond);
    refilledAt = now;
  }

  return {
    /** Whole seconds until there is a token; 0 if there is one. */
    waitSeconds(): number {
      refill();
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond);
    },
    /** Takes a token. The bucket can go below zero: several failures may have been under way at the last token. */
    spend(): void {
      refill();
      tokens -= 1;
    },
  };
}
