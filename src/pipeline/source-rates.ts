import type { SourceSpec } from '../config/source-schema.ts';
import type { Clock } from '../kernel/clock.ts';
import { createLimiter, type Decision, type Tier } from '../store/limiter.ts';
import type { RedisKeys } from '../store/redis-keys.ts';
import type { RedisConnection } from '../store/redis.ts';
import type { Rate } from '../upstream/places.ts';

/** How fast the sources may be asked by all processes together. */
export type SourceRates = {
  /** `undefined` where a source names no `net.requestsPerSecond`. */
  of(spec: SourceSpec): Rate | undefined;
  close(): void;
};

export type SourceRatesDeps = {
  /** Absent in the embedded mode: this process counts alone. */
  readonly redis: Pick<RedisConnection, 'client'> | undefined;
  readonly keys: RedisKeys;
  readonly clock: Clock;
};

/** What is counted is let go in pieces of a tenth of a second; asked a few times in each, none is left unused. */
const ASK_AGAIN_MS = 25;

/** Creates the rates of some sources. While Redis is gone, each process keeps to them alone. */
export function createSourceRates(
  specs: readonly SourceSpec[],
  { redis, keys, clock }: SourceRatesDeps,
): SourceRates {
  const tiers: Record<string, Tier> = {};
  for (const { name, net } of specs)
    if (net.requestsPerSecond !== undefined)
      tiers[name] = { windows: [{ points: net.requestsPerSecond, seconds: 1 }], onStoreFailure: 'open' };
  const limiter = createLimiter({
    redis: redis?.client,
    tiers,
    keyOf: (_tier, windows, subject) => keys.tierCounts('source', windows, subject),
    monotonic: () => clock.monotonic(),
  });
  const waitOf = ({ allowed }: Decision) => (allowed ? 0 : ASK_AGAIN_MS);
  return {
    of({ name }) {
      if (tiers[name] === undefined) return undefined;
      return () => {
        const decision = limiter.consume(name, `source:${name}`);
        return decision instanceof Promise ? decision.then(waitOf) : waitOf(decision);
      };
    },
    close: () => limiter.close(),
  };
}
