// Limits the comparisons of one resource to `shadow.maxRps` calls a second over the whole fleet, to protect its sources.

import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { createLimiter } from '../../store/limiter/limiter.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';

/** The rate limit on comparisons of one resource, over all processes. */
export type ShadowRateLimit = ReturnType<typeof createShadowRateLimit>;

/**
 * Creates the limit of `maxRps` calls a second. Without `redis`, this process counts alone. While Redis fails, no call is allowed,
 * because comparisons can be left out.
 */
export function createShadowRateLimit(
  resource: string,
  maxRps: number,
  deps: {
    readonly redis: Redis | undefined;
    readonly keys: Pick<RedisKeys, 'tierCounts'>;
    readonly clock: Pick<Clock, 'monotonic'>;
  },
) {
  const { redis, keys, clock } = deps;
  const limiter = createLimiter({
    redis,
    tiers: { shadow: { windows: [{ points: maxRps, seconds: 1 }], onStoreFailure: 'closed' } },
    keyOf: (_tier, windows, subject) => keys.tierCounts('shadow', windows, subject),
    clock,
  });
  return {
    /** Takes a token for one call; false if none is left in this second. */
    take(): boolean | Promise<boolean> {
      const decision = limiter.consume('shadow', `shadow:${resource}`);
      return decision instanceof Promise ? decision.then(({ allowed }) => allowed) : decision.allowed;
    },
    close: () => limiter.close(),
  };
}
