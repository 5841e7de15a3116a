import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from 'ioredis';
import type { Window } from '../kernel/duration.ts';

/** Where a window stands after a request was counted, or was not because the window was full. */
export type Count = {
  readonly admitted: boolean;
  readonly remaining: number;
  /** Until the window starts anew. */
  readonly resetMs: number;
};

/** One window of one tier, counted per key. It rejects when its store fails. */
export type CountedWindow = {
  take(key: string): Promise<Count>;
  /** Takes back one admitted request. */
  giveBack(key: string): Promise<void>;
};

/**
 * Counts a request only while the window has room, so that a client that keeps knocking is not locked out for
 * longer; gives back only what a live window holds; and starts over where the key holds something foreign.
 * The library calls it with the change, the window's seconds and its points.
 */
const COUNT_SCRIPT = `
local change, seconds, points = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local used = tonumber(redis.call('get', KEYS[1]) or '')
local ttl = redis.call('pttl', KEYS[1])
if used == nil or ttl < 0 then
  used = 0
  ttl = seconds * 1000
end
if change > 0 and used + change > points then
  return { used + change, ttl }
end
used = math.max(0, used + change)
redis.call('set', KEYS[1], used, 'PX', math.max(1, ttl))
return { used, ttl }`;

/** Above this many callers per window, those unseen for longest start a new window. */
const LOCAL_SUBJECTS_MAX = 100_000;

/** Timers of more than 24.8 days fire at once, and the library's memory would forget such a window immediately. */
const LOCAL_SECONDS_MAX = 24 * 86_400;

type Limiter = Pick<RateLimiterRedis, 'consume' | 'reward'>;

function counted(limiter: Limiter): CountedWindow {
  return {
    async take(key) {
      try {
        const { remainingPoints, msBeforeNext } = await limiter.consume(key);
        return { admitted: true, remaining: remainingPoints, resetMs: msBeforeNext };
      } catch (refused) {
        // The library rejects with a plain value when the window is full, and with an Error when the store fails.
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return { admitted: false, remaining: 0, resetMs: refused.msBeforeNext };
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}

/** A window that all processes on one Redis share. */
export function createSharedWindow(redis: Redis, { points, seconds }: Window): CountedWindow {
  return counted(
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: '',
      points,
      duration: seconds,
      rejectIfRedisNotReady: true,
      customIncrTtlLuaScript: COUNT_SCRIPT,
    }),
  );
}

/**
 * A window that this process counts alone, for a bounded number of callers. A window longer than 24 days is kept
 * as its share of 24 days, at least one point.
 */
export function createLocalWindow(
  { points, seconds }: Window,
  subjectsMax = LOCAL_SUBJECTS_MAX,
): CountedWindow {
  const duration = Math.min(seconds, LOCAL_SECONDS_MAX);
  const limiter = new RateLimiterMemory({
    keyPrefix: '',
    points: Math.max(1, Math.floor((points * duration) / seconds)),
    duration,
  });
  const subjects = new LRUCache<string, true>({
    max: subjectsMax,
    dispose: (_, key) => void limiter.delete(key),
  });
  const window = counted(limiter);
  return {
    take(key) {
      subjects.set(key, true);
      return window.take(key);
    },
    giveBack: (key) => window.giveBack(key),
  };
}
