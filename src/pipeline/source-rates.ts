import type { SourceSpec } from '../config/schema/source.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Window } from '../kernel/duration.ts';
import { createLimiter, type Decision, type Tier } from '../store/limiter/limiter.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RedisConnection } from '../store/redis/redis.ts';
import type { SubWindows } from '../store/limiter/sub-windows.ts';
import type { TakeToken } from '../upstream/bulkhead.ts';

/** How fast the sources may be asked by all processes together. */
export type SourceRates = {
  /** `undefined` where a source names no `net.requestsPerSecond`. */
  of(spec: SourceSpec): TakeToken | undefined;
  close(): void;
};

export type SourceRatesDeps = {
  /** Absent in the embedded mode: this process counts alone. */
  readonly redis: Pick<RedisConnection, 'client'> | undefined;
  readonly keys: RedisKeys;
  readonly clock: Clock;
};

const PIECE_MS = 20;
/**
 * The right to a call is used a moment after it was given, and the call is a moment on its way. Where one is later by
 * more than the next, the source sees them closer together, so each counts for so much longer than a second. Half of
 * that may go by while Redis is asked.
 */
const MARGIN_MS = 80;
const GRACE_MS = MARGIN_MS / 2;
/** What is counted is let go in pieces; asked once or twice in each, none is left unused. */
const ASK_AGAIN_MS = 15;

/** Cuts a window finer than those of callers, whose last piece may be a tenth of it: a source's capacity is scarce. */
function cut({ points, seconds }: Window): SubWindows {
  return { points, seconds, pieceMs: PIECE_MS, pieces: (seconds * 1_000 + MARGIN_MS) / PIECE_MS };
}

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
    clock,
    cut,
    graceMs: GRACE_MS,
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
