// Reserves points of the rate limiter in advance for frequent callers, so that most requests need no round trip to Redis.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import type { Reservation, ReservationRequest, WindowCount } from './sub-windows.ts';

/** The result of spending a reserved point for a request. */
export type PointResult = {
  readonly admitted: boolean;
  /** The state of each window, in the tier's order. */
  readonly windows: readonly WindowCount[];
  /** Points that this process has reserved for the caller and not spent yet. */
  readonly reserved: number;
};

/** Reserves points in the store that all processes share. */
type Reserve = (subject: string, request: ReservationRequest) => Promise<Reservation>;

/** The reserved points of one caller. While requests wait, the store is being asked for points. */
type Caller = {
  reservation: Reservation | undefined;
  /** Unspent points of the reservation. */
  left: number;
  /** Until when the points may be spent, in milliseconds of the monotonic clock. */
  validUntil: number;
  /** How many extra points to reserve next; it grows while points are spent and shrinks when they expire. */
  batch: number;
  readonly waiting: PromiseWithResolvers<PointResult>[];
};

const BATCH_MAX = 10_000;
/** Reserved points are valid only briefly, because other processes cannot spend them and they stay valid if Redis fails. */
const VALID_MS_MAX = 500;
const SUBJECTS_MAX = 100_000;
/** If the store is so slow that points have expired on arrival this many times, they count anyway. */
const ATTEMPTS_MAX = 3;

/** Takes the unspent points of a reservation, to return them to the store. */
function takeUnspent(caller: Caller): ReservationRequest['unspent'] {
  const { left, reservation } = caller;
  caller.left = 0;
  return left === 0 || reservation === undefined ? undefined : { points: left, parts: reservation.parts };
}

function spendOne(caller: Caller, { windows }: Reservation): PointResult {
  const admitted = caller.left > 0;
  if (admitted) caller.left -= 1;
  return { admitted, windows, reserved: caller.left };
}

function nextBatch({ left, batch, reservation, validUntil }: Caller, now: number): number {
  if (reservation === undefined) return 0;
  // If all points were spent before they expired, the caller comes often; otherwise the batch was too large.
  return now < validUntil ? Math.max(1, batch) : Math.floor((batch - left) / 2);
}

/**
 * Creates the point prefetch of one tier: it reserves several points in one round trip for frequent callers, and spends them
 * locally, up to `graceMs` longer than the store says.
 */
export function createPointPrefetch(reserve: Reserve, clock: Pick<Clock, 'monotonic'>, graceMs = 0) {
  // With `max`, the map would allocate memory for all callers at once.
  const callers = new LRUCache<string, Caller>({ maxSize: SUBJECTS_MAX, sizeCalculation: () => 1 });

  function callerOf(subject: string): Caller {
    const known = callers.get(subject);
    if (known !== undefined) return known;
    const caller = { reservation: undefined, left: 0, validUntil: 0, batch: 0, waiting: [] };
    callers.set(subject, caller);
    return caller;
  }

  /** Reserves points, and again if they expired before they arrived. */
  async function reserveValid(subject: string, caller: Caller) {
    for (let attempts = 1; ; attempts += 1) {
      const askedAt = clock.monotonic();
      const needed = caller.waiting.length;
      const request = { needed, batch: caller.batch, unspent: takeUnspent(caller) };
      const reservation = await reserve(subject, request);
      caller.reservation = reservation;
      caller.left = reservation.granted;
      // The time counts from before the request, so that points expire early rather than late.
      caller.validUntil = askedAt + Math.min(VALID_MS_MAX, reservation.validMs + graceMs);
      if (attempts === ATTEMPTS_MAX || reservation.granted === 0 || clock.monotonic() < caller.validUntil)
        return { reservation, needed };
    }
  }

  /** Answers all waiting requests, and those that arrive meanwhile. */
  async function serveWaiting(subject: string, caller: Caller): Promise<void> {
    const { waiting } = caller;
    try {
      while (waiting.length > 0) {
        const { reservation, needed } = await reserveValid(subject, caller);
        const answered = Math.max(needed, Math.min(caller.left, waiting.length));
        for (const { resolve } of waiting.splice(0, answered)) resolve(spendOne(caller, reservation));
      }
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
    }
  }

  return {
    /** Spends a point. Returns no promise while points are reserved; else it asks the store, and rejects if the store fails. */
    spend(subject: string): PointResult | Promise<PointResult> {
      const caller = callerOf(subject);
      const { reservation, waiting } = caller;
      if (caller.left > 0 && reservation !== undefined && clock.monotonic() < caller.validUntil) {
        const result = spendOne(caller, reservation);
        // All points are spent, so the next batch may be larger.
        if (caller.left === 0) caller.batch = Math.min(BATCH_MAX, caller.batch * 2);
        return result;
      }
      const isAsking = waiting.length > 0;
      if (!isAsking) caller.batch = nextBatch(caller, clock.monotonic());
      const result = Promise.withResolvers<PointResult>();
      waiting.push(result);
      if (!isAsking) void serveWaiting(subject, caller);
      return result.promise;
    },
    /** Returns the reserved points that have expired unspent. */
    returnUnused(): void {
      const at = clock.monotonic();
      for (const [subject, caller] of callers.entries()) {
        if (caller.left === 0 || caller.waiting.length > 0 || at < caller.validUntil) continue;
        caller.batch = 0;
        // If this fails, the points expire by themselves; the caller is only refused a little early.
        reserve(subject, { needed: 0, batch: 0, unspent: takeUnspent(caller) }).catch(() => undefined);
      }
    },
  };
}
