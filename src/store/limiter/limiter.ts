// The rate limiter: counts the requests of each caller in sliding windows, in Redis or, without Redis, in this process.

import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import type { RateWindow } from '../../kernel/duration.ts';
import { createPointPrefetch, type PointResult } from './point-prefetch.ts';
import { createSlidingMemory } from './sliding-memory.ts';
import { SlidingRedis } from './sliding-redis.ts';
import { divideWindow, type SubWindows, type WindowCount } from './sub-windows.ts';

/** The limits of a tier: windows that must all admit a request, and the behaviour while Redis is down. */
export type Tier = {
  readonly windows: readonly RateWindow[];
  /** `open`: this process counts alone; `closed`: no request is admitted. */
  readonly onStoreFailure: 'open' | 'closed';
};

/** The state of one window of a caller after a decision. `points`: how many requests it admits in `seconds`. */
export type WindowState = {
  readonly points: number;
  readonly seconds: number;
  readonly remaining: number;
  /** Whole seconds until all points of the window are free again: 1 to `seconds`. */
  readonly resetSeconds: number;
};

/** Where the request was counted: in Redis for all processes, in this process, or nowhere (Redis is down, the tier is closed). */
export type DecidedBy = 'redis' | 'local' | 'unavailable';

/** The decision on a request. There is a decision even if Redis is down: `by` is then `local` or `unavailable`. */
export type Decision = {
  readonly allowed: boolean;
  /** In the tier's order; empty if the limiter is unavailable. */
  readonly windows: readonly WindowState[];
  /** 0 if the request is allowed; else the seconds until every window that refused has a free point. */
  readonly retryAfterSeconds: number;
  readonly by: DecidedBy;
};

/**
 * A sliding-window rate limiter. In any interval as long as a window, all processes on one Redis together admit no more
 * requests than the window has points. The clock of Redis counts.
 */
export type Limiter = ReturnType<typeof createLimiter>;

/** What a limiter needs. `clock` is for what this process counts; counts in Redis go by the clock of Redis. */
export type LimiterDeps = {
  /** Absent: every process counts alone. */
  readonly redis?: Redis | undefined;
  readonly tiers: Readonly<Record<string, Tier>>;
  /** The Redis key of a caller's counts in a tier. */
  readonly keyOf: (tier: string, windows: readonly RateWindow[], subject: string) => string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Divides the windows of all tiers into parts; by default `divideWindow`. */
  readonly divide?: (window: RateWindow) => SubWindows;
  /** How long a prefetched point may still be spent after its sub-window has ended, in milliseconds; sub-windows of `divide` must be kept for longer. */
  readonly graceMs?: number;
  /** The most callers that are counted in this process. */
  readonly localSubjectsMax?: number;
  /** Keeps the counts of a tier over a reload: returns the counts of an equal tier, or else the result of `make`. */
  readonly keepTier?: (name: string, tier: Tier, make: () => TierLimiter) => TierLimiter;
};

type Consume = (subject: string) => Decision | Promise<Decision>;

/** The counter of one tier. `returnUnused` returns prefetched points that have expired. */
export type TierLimiter = { readonly consume: Consume; returnUnused(): void };

const UNAVAILABLE: Decision = { allowed: false, windows: [], retryAfterSeconds: 1, by: 'unavailable' };
const RETURN_MS = 250;

/** Whole seconds from 1 to `secondsMax`: after a jump of the clock, no client may be told to wait for an hour. */
function wholeSeconds(ms: number, secondsMax: number): number {
  return Math.min(secondsMax, Math.max(1, Math.ceil(ms / 1_000)));
}

function stateOf({ points, seconds }: SubWindows, count: WindowCount, reserved: number): WindowState {
  const remaining = Math.min(points, count.free + reserved);
  return { points, seconds, remaining, resetSeconds: wholeSeconds(count.resetMs, seconds) };
}

function decide(windows: readonly SubWindows[], spent: PointResult, by: DecidedBy): Decision {
  const states = windows.map((window, index) =>
    stateOf(window, spent.windows[index] ?? { free: 0, resetMs: 0, waitMs: 0 }, spent.reserved),
  );
  if (spent.admitted) return { allowed: true, windows: states, retryAfterSeconds: 0, by };
  const waits = windows.map(({ seconds, partMs }, index) => {
    const waitMs = spent.windows[index]?.waitMs ?? 0;
    return waitMs <= 0 ? 0 : wholeSeconds(waitMs, Math.ceil(seconds + partMs / 1_000));
  });
  return { allowed: false, windows: states, retryAfterSeconds: Math.max(1, ...waits), by };
}

/** Counts in this process alone. */
function createLocalTier(windows: readonly SubWindows[], deps: LimiterDeps): Consume {
  const memory = createSlidingMemory(windows, deps.clock, deps.localSubjectsMax);
  return (subject) => {
    const reservation = memory.reserve(subject, 1);
    const spent = { admitted: reservation.granted > 0, windows: reservation.windows, reserved: 0 };
    return decide(windows, spent, 'local');
  };
}

/** Creates the limiter of all tiers. */
export function createLimiter(deps: LimiterDeps) {
  const { redis, tiers, keyOf, clock, divide = divideWindow } = deps;

  function createTier(name: string, tier: Tier): TierLimiter {
    const windows = tier.windows.map(divide);
    const alone = createLocalTier(windows, deps);
    if (redis === undefined) return { consume: alone, returnUnused: () => undefined };
    const shared = new SlidingRedis(redis, windows);
    const prefetch = createPointPrefetch(
      (subject, request) => shared.reserve(keyOf(name, tier.windows, subject), request),
      clock,
      deps.graceMs,
    );
    return {
      consume(subject) {
        const spent = prefetch.spend(subject);
        if (!(spent instanceof Promise)) return decide(windows, spent, 'redis');
        return spent.then(
          (later) => decide(windows, later, 'redis'),
          () => (tier.onStoreFailure === 'closed' ? UNAVAILABLE : alone(subject)),
        );
      },
      returnUnused: () => prefetch.returnUnused(),
    };
  }

  const kept = (name: string, tier: Tier) =>
    deps.keepTier?.(name, tier, () => createTier(name, tier)) ?? createTier(name, tier);
  const limiters = new Map(Object.entries(tiers).map(([name, tier]) => [name, kept(name, tier)]));
  const timer = setInterval(() => {
    for (const limiter of limiters.values()) limiter.returnUnused();
  }, RETURN_MS).unref();

  return {
    /**
     * Admits a request of `subject` (a caller) only if every window of the tier does; a refused request costs no point.
     * Returns no promise while this process has prefetched points. Throws only for an unknown tier.
     */
    consume(tier: string, subject: string): Decision | Promise<Decision> {
      const limiter = limiters.get(tier);
      if (limiter === undefined) throw new Error(`no tier is named ${tier}`);
      return limiter.consume(subject);
    },
    /** Stops returning prefetched points. */
    close: (): void => clearInterval(timer),
  };
}
