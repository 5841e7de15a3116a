import type { Redis } from 'ioredis';
import type { Window } from '../kernel/duration.ts';
import { type Count, type CountedWindow, createLocalWindow, createSharedWindow } from './limiter-windows.ts';

/** The windows that must all admit a request, and what holds while Redis is gone. */
export type Tier = {
  readonly windows: readonly Window[];
  /** `open`: this process counts alone; `closed`: nothing is admitted. */
  readonly onStoreFailure: 'open' | 'closed';
};

/** Where one window of a caller stands after a decision. */
export type WindowState = {
  readonly points: number;
  readonly seconds: number;
  readonly remaining: number;
  /** Whole seconds until the window starts anew: 1 to `seconds`. */
  readonly resetSeconds: number;
};

/** Who decided: all processes together, this one alone, or nobody because Redis is gone and the tier is closed. */
export type DecidedBy = 'redis' | 'local' | 'unavailable';

export type Decision = {
  readonly allowed: boolean;
  /** In the tier's order; empty where nobody could decide. */
  readonly windows: readonly WindowState[];
  /** 0 where the request is allowed; else when every refusing window has started anew. */
  readonly retryAfterSeconds: number;
  readonly by: DecidedBy;
};

/** Counts requests of callers against tiers. */
export type Limiter = {
  /**
   * Admits a request of `subject` only if every window of the tier does; a refused request is charged to none.
   * Throws only for a tier that does not exist.
   */
  consume(tier: string, subject: string): Promise<Decision>;
};

export type LimiterDeps = {
  /** Absent: every process counts alone. */
  readonly redis?: Redis | undefined;
  readonly tiers: Readonly<Record<string, Tier>>;
  /** Spells the Redis key of a window. */
  readonly keyOf: (tier: string, window: Window, subject: string) => string;
  /** Bound of callers remembered per window in this process. */
  readonly localSubjectsMax?: number;
};

type Counter = {
  readonly window: Window;
  readonly shared: CountedWindow | undefined;
  readonly local: CountedWindow;
};

const UNAVAILABLE: Decision = { allowed: false, windows: [], retryAfterSeconds: 1, by: 'unavailable' };

/** Creates the limiter over all tiers. */
export function createLimiter({ redis, tiers, keyOf, localSubjectsMax }: LimiterDeps): Limiter {
  const counters = new Map(
    Object.entries(tiers).map(([name, tier]) => [
      name,
      tier.windows.map<Counter>((window) => ({
        window,
        shared: redis === undefined ? undefined : createSharedWindow(redis, window),
        local: createLocalWindow(window, localSubjectsMax),
      })),
    ]),
  );

  async function consume(tierName: string, subject: string): Promise<Decision> {
    const tier = tiers[tierName];
    const windows = counters.get(tierName);
    if (tier === undefined || windows === undefined) throw new Error(`no tier is named ${tierName}`);
    const entries = windows.map((counter) => ({ ...counter, key: keyOf(tierName, counter.window, subject) }));
    const alone = () =>
      decide(
        'local',
        entries.map(({ window, local, key }) => ({ window, key, counted: local })),
      );
    const shared = entries.flatMap(({ window, shared: counted, key }) =>
      counted === undefined ? [] : [{ window, key, counted }],
    );
    if (shared.length === 0) return alone();
    try {
      return await decide('redis', shared);
    } catch {
      return tier.onStoreFailure === 'closed' ? UNAVAILABLE : alone();
    }
  }

  return { consume };
}

type Charge = { readonly window: Window; readonly key: string; readonly counted: CountedWindow };

async function decide(by: DecidedBy, charges: readonly Charge[]): Promise<Decision> {
  const counts = await Promise.all(
    charges.map(async (charge) => ({ charge, count: await charge.counted.take(charge.key) })),
  );
  const refusing = counts.filter(({ count }) => !count.admitted);
  if (refusing.length === 0) {
    const windows = counts.map(({ charge, count }) => stateOf(charge.window, count));
    return { allowed: true, windows, retryAfterSeconds: 0, by };
  }
  const admitting = counts.filter(({ count }) => count.admitted);
  await Promise.all(admitting.map(({ charge }) => charge.counted.giveBack(charge.key)));
  const windows = counts.map(({ charge, count }) =>
    stateOf(charge.window, count.admitted ? { ...count, remaining: count.remaining + 1 } : count),
  );
  const retryAfterSeconds = Math.max(
    ...refusing.map(({ charge, count }) => resetSeconds(charge.window, count)),
  );
  return { allowed: false, windows, retryAfterSeconds, by };
}

function stateOf({ points, seconds }: Window, count: Count): WindowState {
  return {
    points,
    seconds,
    remaining: count.remaining,
    resetSeconds: resetSeconds({ points, seconds }, count),
  };
}

/** Clamped to the window: a wall clock that jumps must not send a client away for an hour. */
function resetSeconds({ seconds }: Window, { resetMs }: Count): number {
  return Math.min(seconds, Math.max(1, Math.ceil(resetMs / 1_000)));
}
