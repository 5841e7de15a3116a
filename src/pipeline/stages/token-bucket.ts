// Limits how often something happens in this process, such as checks of unknown keys. (`store/limiter` has the limits of
// callers.)

import type { Clock } from '../../kernel/clock.ts';

/**
 * A token bucket: it has `burst` tokens and gets `perSecond` new ones. It can limit failures: then a token is taken only
 * after a failure, so successes cost nothing.
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
    /** Seconds until there is a token, rounded up; 0 if there is one now. */
    waitSeconds(): number {
      refill();
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond);
    },
    /** Takes a token. The number can fall below zero, because several attempts may fail after the last token was seen. */
    spend(): void {
      refill();
      tokens -= 1;
    },
  };
}
