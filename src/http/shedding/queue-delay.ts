// Measures how long requests wait for the event loop, and says which new requests are too many.

import type { Clock } from '../../kernel/clock.ts';

type QueueDelayDeps = {
  /** How long requests may wait in the queue, in milliseconds. */
  readonly delayMsMax: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Calls back at the next tick of the timers. */
  readonly onTick: (listener: () => void) => void;
};

/**
 * How many requests of a queue are always served. If fewer come, requests are not the reason why the loop is busy; and even
 * on a slow machine, something is answered. The same number is reserved for patient clients, so that a client that asks
 * once a second is answered, whatever others do.
 */
const ALWAYS_SERVED = 100;
/**
 * Aggressive clients (those that ask again at once) get only as many answers as the process can make in the time that they
 * may wait, but at least this number. A hundred cache misses of half a millisecond would take twice that time.
 */
const AGGRESSIVE_SERVED_MIN = 10;
/** The weight of a new measure in the moving average of responses per millisecond. */
const RATE_PART = 0.2;
/** The part of the delay that aggressive clients may wait. A request can come early in one tick and be served late in the next. */
const AGGRESSIVE_PART = 0.5;
/** A queue is filled up to this part. Each time, `GAIN` of the rest is added, because the effect shows only ticks later. */
const FILL_PART = 0.8;
const GAIN = 0.25;

/**
 * Creates the measure of how long requests wait in the queue of the event loop before they are read. All ready connections
 * are read in one turn of the loop, so a request that is read late in a long turn has waited since its start. Each request
 * looks at the clock, because a timer would notice that too late: if more than 1,024 connections are ready, libuv reads
 * 48 times as many before it looks at its timers (`uv__io_poll`); with two thousand busy connections, that took 3 s. One
 * long stall does not count as a queue.
 *
 * When as many requests were refused as served, the queue counts as new, because refused clients come back later, and if
 * all were refused, the process would have nothing to do meanwhile.
 */
export function createQueueDelay({ delayMsMax, clock, onTick }: QueueDelayDeps) {
  let [served, servedPatient, refused] = [0, 0, 0];
  let [startedAt, latestAt] = [0, 0];
  let [answered, measuredAt, answersPerMs] = [0, 0, 0];
  let [isTickDue, hasRefused, hasServed] = [false, false, false];
  let spare = 0;

  function startQueue(now: number): void {
    startedAt = now;
    hasServed = true;
    if (isTickDue) return;
    isTickDue = true;
    onTick(endQueue);
  }

  /** Updates the moving average of responses per millisecond. */
  function measureRate(now: number): void {
    const passedMs = now - measuredAt;
    if (passedMs > 0) answersPerMs += RATE_PART * (answered / passedMs - answersPerMs);
    [answered, measuredAt] = [0, now];
  }

  /** Whether a request is served even if it has waited too long, because so few of the queue were served. */
  function isAlwaysServed(isAggressive: boolean): boolean {
    if (!isAggressive) return servedPatient < ALWAYS_SERVED;
    const fitting = answersPerMs * AGGRESSIVE_PART * delayMsMax;
    return served < Math.min(ALWAYS_SERVED, Math.max(AGGRESSIVE_SERVED_MIN, fitting));
  }

  function endQueue(): void {
    isTickDue = false;
    measureRate(clock.monotonic());
    const fitting = (served * FILL_PART * AGGRESSIVE_PART * delayMsMax) / Math.max(1, latestAt - startedAt);
    spare = hasRefused ? 0 : Math.max(0, GAIN * (fitting - served));
    hasRefused = false;
    [served, servedPatient, refused] = [0, 0, 0];
  }

  return {
    /** Whether a new request is too many. Call it once for each request. Aggressive clients are refused sooner. */
    shouldShed(isAggressive: boolean): boolean {
      const now = clock.monotonic();
      if (served === 0) startQueue(now);
      else if (now - latestAt > delayMsMax) startedAt += now - latestAt;
      latestAt = now;
      const isInTime = now - startedAt <= (isAggressive ? AGGRESSIVE_PART : 1) * delayMsMax;
      if (isInTime || isAlwaysServed(isAggressive)) {
        served += 1;
        if (!isAggressive) servedPatient += 1;
        return false;
      }
      refused += 1;
      hasRefused = true;
      if (refused >= served) [served, servedPatient, refused] = [0, 0, 0];
      return true;
    },
    /** Counts a sent response, because their number shows how many the process can make. */
    answered(): void {
      answered += 1;
    },
    /** How many more requests the process could serve. Each result is given out once: the next call may return 0. */
    spareCapacity: (): number => {
      // If no request was served, requests are not the reason why the loop is busy.
      const answer = hasServed ? spare : ALWAYS_SERVED;
      [spare, hasServed] = [0, false];
      return answer;
    },
    /** The moving average of responses per millisecond. */
    get answersPerMs(): number {
      return answersPerMs;
    },
    /** How long the last request of the queue has waited, in milliseconds. */
    get delayMs(): number {
      return latestAt - startedAt;
    },
  };
}
