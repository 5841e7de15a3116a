import type { SourceSpec } from '../../config/schema/source.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RateWindow } from '../../kernel/duration.ts';
import { createLimiter, type Decision } from '../../store/limiter/limiter.ts';
import type { SubWindows } from '../../store/limiter/sub-windows.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';
import type { RedisConnection } from '../../store/redis/redis.ts';
import type { SourceRate } from '../../source/source-upstreams.ts';

const PART_MS = 20;
/**
 * The time between the grant of a token and the arrival of its call at the source differs from call to call. Example: a call
 * arrives 60 ms after its grant and the next one after 10 ms, so the source sees them 50 ms closer than they were granted.
 * Therefore each token counts for this much longer than a second. Half of it may pass while Redis is asked.
 */
const MARGIN_MS = 80;
const GRACE_MS = MARGIN_MS / 2;
/** Tokens become free part by part; asking once or twice in each part leaves none unused. */
const ASK_AGAIN_MS = 15;

/** Divides a window into finer parts than those of callers, because a coarse part at the edge of a window would waste up to a tenth of the source's capacity. */
function divide({ points, seconds }: RateWindow): SubWindows {
  return { points, seconds, partMs: PART_MS, parts: (seconds * 1_000 + MARGIN_MS) / PART_MS };
}

/**
 * Creates the function that makes the rate limit of a source; it answers `undefined` for a source without
 * `net.requestsPerSecond`. While Redis is out of reach, each process keeps to the rate alone. Clients of sources outlive a
 * reload and keep this function, so it must keep nothing of a configuration.
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
