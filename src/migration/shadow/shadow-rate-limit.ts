// Limits the comparisons of one resource to `maxRps` calls a second over the whole fleet.

import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { createLimiter } from '../../store/limiter/limiter.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';

/** The rate limit on comparisons of one resource, over all processes. */
export type ShadowRateLimit = {
  /** Takes a token for one call; false where none is left in this second. */
  take(): boolean | Promise<boolean>;
  close(): void;
};

/** While `redis` fails no token is given, because a comparison can be left out. */
export type ShadowRateLimitDeps = {
  /** Absent: this process counts alone. */
  readonly redis: Redis | undefined;
  readonly keys: Pick<RedisKeys, 'tierCounts'>;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Creates the limit of `maxRps` calls in each second. */
export function createShadowRateLimit(
  resource: string,
  maxRps: number,
  { redis, keys, clock }: ShadowRateLimitDeps,
): ShadowRateLimit {
  const limiter = createLimiter({
    redis,
    tiers: { shadow: { windows: [{ points: maxRps, seconds: 1 }], onStoreFailure: 'closed' } },
    keyOf: (_tier, windows, subject) => keys.tierCounts('shadow', windows, subject),
    clock,
  });
  return {
    take() {
      const decision = limiter.consume('shadow', `shadow:${resource}`);
      return decision instanceof Promise ? decision.then(({ allowed }) => allowed) : decision.allowed;
    },
    close: () => limiter.close(),
  };
}
