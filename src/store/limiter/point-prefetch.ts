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
  /** How many points were spent since points last expired. */
  spent: number;
  /** How many extra points to reserve next. */
  batch: number;
  /** If fewer points are left, more are reserved while requests go on; 0 while the store is asked for them. */
  refillBelow: number;
  readonly waiting: PromiseWithResolvers<PointResult>[];
};

const BATCH_MAX = 10_000;
/** So many times the points that were spent before the last ones expired are reserved next. */
const AGAIN = 1.5;
/** More points are reserved when fewer than one in so many are left. */
const REFILL_SHARE = 4;
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
  if (admitted) {
    caller.left -= 1;
    caller.spent += 1;
  }
  return { admitted, windows, reserved: caller.left };
}

/** Has more extra points reserved next, because a caller came sooner than expected. */
function grow(caller: Caller): void {
  caller.batch = Math.min(BATCH_MAX, Math.max(1, caller.batch * 2));
}

/** Sets how many extra points to reserve, for a request that finds none: as many as the caller will probably spend. */
function predictBatch(caller: Caller, now: number): void {
  if (caller.reservation === undefined) return;
  if (now < caller.validUntil) {
    grow(caller);
    return;
  }
  // The request itself is not an extra point.
  caller.batch = Math.min(BATCH_MAX, Math.max(0, Math.floor((caller.spent - 1) * AGAIN)));
  caller.spent = 0;
}

const isOfSameParts = (a: Reservation | undefined, b: Reservation) =>
  a !== undefined && a.parts.every((part, index) => part === b.parts[index]);

/** Gives points back to the store. If this fails, they expire by themselves; the caller is only refused a little early. */
function giveBack(reserve: Reserve, subject: string, unspent: ReservationRequest['unspent']): void {
  reserve(subject, { needed: 0, batch: 0, unspent }).catch(() => undefined);
}

/** Reserves more points before the last is spent, so that no request waits for them. */
async function refill(reserve: Reserve, subject: string, caller: Caller): Promise<void> {
  caller.refillBelow = 0;
  grow(caller);
  const request = { needed: 0, batch: caller.batch, unspent: undefined };
  const more = await reserve(subject, request).catch(() => undefined);
  if (more === undefined || more.granted === 0) return;
  // Points of other parts have another end.
  if (!isOfSameParts(caller.reservation, more)) {
    giveBack(reserve, subject, { points: more.granted, parts: more.parts });
    return;
  }
  caller.reservation = more;
  caller.left += more.granted;
  caller.refillBelow = Math.floor(more.granted / REFILL_SHARE);
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
    const counts = { left: 0, validUntil: 0, spent: 0, batch: 0, refillBelow: 0 };
    const caller: Caller = { reservation: undefined, ...counts, waiting: [] };
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
      // A refill may have come meanwhile.
      const late = takeUnspent(caller);
      if (late !== undefined) giveBack(reserve, subject, late);
      caller.reservation = reservation;
      caller.left = reservation.granted;
      caller.refillBelow = Math.floor((reservation.granted - needed) / REFILL_SHARE);
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
        if (waiting.length > 0) grow(caller);
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
      // The points that come are for those who wait.
      const isAsking = waiting.length > 0;
      if (!isAsking && reservation && caller.left > 0 && clock.monotonic() < caller.validUntil) {
        const result = spendOne(caller, reservation);
        if (caller.left < caller.refillBelow) void refill(reserve, subject, caller);
        return result;
      }
      if (!isAsking) predictBatch(caller, clock.monotonic());
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
        caller.spent = 0;
        giveBack(reserve, subject, takeUnspent(caller));
      }
    },
  };
}
