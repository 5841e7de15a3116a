import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import type { RateWindow } from '../../kernel/duration.ts';
import { createTokenPrefetch, type Spent } from './token-prefetch.ts';
import { createSlidingMemory } from './sliding-memory.ts';
import { SlidingRedis } from './sliding-redis.ts';
import { cutWindow, type SubWindows, type WindowCount } from './sub-windows.ts';

/** The windows that must all admit a request, and what holds while Redis is gone. */
export type Tier = {
  readonly windows: readonly RateWindow[];
  /** `open`: this process counts alone; `closed`: nothing is admitted. */
  readonly onStoreFailure: 'open' | 'closed';
};

/** Where one window of a caller stands after a decision. */
export type WindowState = {
  readonly points: number;
  readonly seconds: number;
  readonly remaining: number;
  /** Whole seconds until nothing of the window is used any more: 1 to `seconds`. */
  readonly resetSeconds: number;
};

/** Who decided: all processes together, this one alone, or nobody because Redis is gone and the tier is closed. */
export type DecidedBy = 'redis' | 'local' | 'unavailable';

export type Decision = {
  readonly allowed: boolean;
  /** In the tier's order; empty where nobody could decide. */
  readonly windows: readonly WindowState[];
  /** 0 where the request is allowed; else when every refusing window has a point again. */
  readonly retryAfterSeconds: number;
  readonly by: DecidedBy;
};

/**
 * Counts requests of callers against tiers. In no interval of a window's length are more requests admitted than the
 * window has points, over all processes on one Redis, by its clock.
 */
export type Limiter = {
  /**
   * Admits a request of `subject` only if every window of the tier does; a refused request is charged to none.
   * Answers at once where this process has points set aside. Throws only for a tier that does not exist.
   */
  consume(tier: string, subject: string): Decision | Promise<Decision>;
  /** Stops giving back what was set aside. */
  close(): void;
};

export type LimiterDeps = {
  /** Absent: every process counts alone. */
  readonly redis?: Redis | undefined;
  readonly tiers: Readonly<Record<string, Tier>>;
  /** Spells the Redis key of what a caller has used of a tier. */
  readonly keyOf: (tier: string, windows: readonly RateWindow[], subject: string) => string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Cuts the windows of all tiers into pieces, where the usual cut will not do. */
  readonly cut?: (window: RateWindow) => SubWindows;
  /** How long behind its piece a point may still be spent, milliseconds, where `cut` holds it for so much longer. */
  readonly graceMs?: number;
  /** Bound of callers remembered in this process. */
  readonly localSubjectsMax?: number;
};

type Consume = (subject: string) => Decision | Promise<Decision>;

type TierLimiter = { readonly consume: Consume; returnUnused(): void };

const UNAVAILABLE: Decision = { allowed: false, windows: [], retryAfterSeconds: 1, by: 'unavailable' };
const GIVE_BACK_MS = 250;

/** Clamped: a clock that jumps must not send a client away for an hour. */
function wholeSeconds(ms: number, secondsMax: number): number {
  return Math.min(secondsMax, Math.max(1, Math.ceil(ms / 1_000)));
}

function stateOf({ points, seconds }: SubWindows, count: WindowCount, setAside: number): WindowState {
  const remaining = Math.min(points, count.free + setAside);
  return { points, seconds, remaining, resetSeconds: wholeSeconds(count.resetMs, seconds) };
}

function decide(windows: readonly SubWindows[], spent: Spent, by: DecidedBy): Decision {
  const states = windows.map((window, index) =>
    stateOf(window, spent.windows[index] ?? { free: 0, resetMs: 0, waitMs: 0 }, spent.setAside),
  );
  if (spent.admitted) return { allowed: true, windows: states, retryAfterSeconds: 0, by };
  const waits = windows.map(({ seconds, pieceMs }, index) => {
    const waitMs = spent.windows[index]?.waitMs ?? 0;
    return waitMs <= 0 ? 0 : wholeSeconds(waitMs, Math.ceil(seconds + pieceMs / 1_000));
  });
  return { allowed: false, windows: states, retryAfterSeconds: Math.max(1, ...waits), by };
}

/** Creates the limiter over all tiers. */
export function createLimiter(deps: LimiterDeps): Limiter {
  const { redis, tiers, keyOf, clock, cut = cutWindow } = deps;

  function countAlone(windows: readonly SubWindows[]): Consume {
    const memory = createSlidingMemory(windows, clock, deps.localSubjectsMax);
    return (subject) => {
      const reservation = memory.reserve(subject, 1);
      const spent = { admitted: reservation.granted > 0, windows: reservation.windows, setAside: 0 };
      return decide(windows, spent, 'local');
    };
  }

  function createTier(name: string, tier: Tier): TierLimiter {
    const windows = tier.windows.map(cut);
    const alone = countAlone(windows);
    if (redis === undefined) return { consume: alone, returnUnused: () => undefined };
    const shared = new SlidingRedis(redis, windows);
    const prefetch = createTokenPrefetch(
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

  const limiters = new Map(Object.entries(tiers).map(([name, tier]) => [name, createTier(name, tier)]));
  const timer = setInterval(() => {
    for (const limiter of limiters.values()) limiter.returnUnused();
  }, GIVE_BACK_MS);
  timer.unref();

  return {
    consume(tier, subject) {
      const limiter = limiters.get(tier);
      if (limiter === undefined) throw new Error(`no tier is named ${tier}`);
      return limiter.consume(subject);
    },
    close: () => clearInterval(timer),
  };
}
