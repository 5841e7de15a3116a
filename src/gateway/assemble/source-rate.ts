// Keeps the calls to a source within its `net.requestsPerSecond`, over all processes of a fleet.

import type { SourceSpec } from '../../config/schema/source.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RateWindow } from '../../kernel/duration.ts';
import { createLimiter, type Decision } from '../../store/limiter/limiter.ts';
import type { SubWindows } from '../../store/limiter/sub-windows.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';
import type { RedisConnection } from '../../store/redis/redis.ts';
import type { SourceRate } from '../../source/source-upstreams.ts';

/** A window of the rate limit is counted in parts of this length. */
const PART_MS = 20;
/**
 * The time between the grant of a token and the arrival of its call at the source differs from call to call. If a call arrives
 * 60 ms after its grant and the next call 10 ms after its grant, the source sees them 50 ms closer than they were granted.
 * Therefore each token counts for this much longer than a second. Half of this time may pass while Redis is asked.
 */
const MARGIN_MS = 80;
const GRACE_MS = MARGIN_MS / 2;
/** When to ask again for a token. Tokens become free every 20 ms, so no free token stays unused. */
const ASK_AGAIN_MS = 15;

/** Divides a window more finely than for callers, because coarse parts would waste up to a tenth of the source's capacity. */
function divide({ points, seconds }: RateWindow): SubWindows {
  return { points, seconds, partMs: PART_MS, parts: (seconds * 1_000 + MARGIN_MS) / PART_MS };
}

/**
 * Creates the function that makes the rate limit of a source; it returns `undefined` for a source without
 * `net.requestsPerSecond`. While Redis is out of reach, each process keeps to the rate alone. Clients of sources outlive a
 * reload and keep this function, so it must not hold a configuration.
 */
export function createSourceRates({
  redis,
  keys,
  clock,
}: {
  /** The Redis of the limits, where all processes keep to the rate together; absent in the embedded mode. */
  readonly redis: Pick<RedisConnection, 'client'> | undefined;
  readonly keys: RedisKeys;
  readonly clock: Clock;
}): (spec: SourceSpec) => SourceRate | undefined {
  return ({ name, net: { requestsPerSecond: points } }) => {
    if (points === undefined) return undefined;
    const limiter = createLimiter({
      redis: redis?.client,
      tiers: { [name]: { windows: [{ points, seconds: 1 }], onStoreFailure: 'open' } },
      keyOf: (_tier, windows, subject) => keys.tierCounts('source', windows, subject),
      clock,
      divide,
      graceMs: GRACE_MS,
    });
    const waitMsOf = ({ allowed }: Decision) => (allowed ? 0 : ASK_AGAIN_MS);
    return {
      takeToken() {
        const decision = limiter.consume(name, `source:${name}`);
        return decision instanceof Promise ? decision.then(waitMsOf) : waitMsOf(decision);
      },
      close: () => limiter.close(),
    };
  };
}
