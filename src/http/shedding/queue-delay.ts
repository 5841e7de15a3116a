import type { Clock } from '../../kernel/clock.ts';

type QueueDelayDeps = {
  /** How long requests may wait in the queue, milliseconds. */
  readonly delayMsMax: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Calls back at the next tick of the timers. */
  readonly onTick: (listener: () => void) => void;
};

/**
 * How many requests of a queue are always served. If fewer come, they are not what keeps the loop busy; and even on a slow
 * machine, something is answered. Clients that are not aggressive have as many to themselves, so that a client that asks once a
 * second is answered, whatever others do.
 */
const ALWAYS_SERVED = 100;
/**
 * Aggressive clients get no more than the process answers in the time they may wait, but at least so many. A hundred cache
 * misses of half a millisecond each would keep the loop busy for twice that time.
 */
const AGGRESSIVE_SERVED_MIN = 10;
/** The part of a new measure in the moving average of how many responses the process makes in a millisecond. */
const RATE_PART = 0.2;
/** The part of the delay for aggressive clients, because a request early in one tick and served late in the next waits for both. */
const AGGRESSIVE_PART = 0.5;
/** A queue is filled up to this part, each time by `GAIN` of what is missing, because the effect shows only ticks later. */
const FILL_PART = 0.8;
const GAIN = 0.25;

/**
 * Measures how long requests wait in the queue of the event loop before they are read. All connections that are ready are read in one turn of the event loop, so a
 * request that is read late in a long turn has waited for as long. A timer would notice too late: while more than
 * 1,024 connections are ready, libuv reads 48 times as many before it looks at its timers, deadlines included
 * (`uv__io_poll`); with two thousand busy connections that took 3 s. So every request looks at the clock. One long
 * stall is not a queue of requests.
 *
 * Once as many were refused as served, the queue counts as new: refused clients come back later, and if all were
 * refused there would be nothing to do meanwhile.
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

  /** How many responses are made in a millisecond, as far as requests come without a gap. */
  function measureRate(now: number): void {
    const passedMs = now - measuredAt;
    if (passedMs > 0) answersPerMs += RATE_PART * (answered / passedMs - answersPerMs);
    [answered, measuredAt] = [0, now];
  }

  /** Whether so few of the queue were served that one more is, even if it has waited for too long. */
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
    /** Whether a new request is one too many. Call it once for each. It lets in fewer requests of aggressive clients. */
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
    /** Counts a response that is out, because their number shows what the process can answer. */
    answered(): void {
      answered += 1;
    },
    /** How many more requests could come from now on. The next call answers 0 until something changes. */
    spareCapacity: (): number => {
      // Without any request, requests are not what keeps the loop busy.
      const answer = hasServed ? spare : ALWAYS_SERVED;
      [spare, hasServed] = [0, false];
      return answer;
    },
    /** How many responses the process has lately made in a millisecond. */
    get answersPerMs(): number {
      return answersPerMs;
    },
    /** The queue delay so far, in milliseconds. */
    get delayMs(): number {
      return latestAt - startedAt;
    },
  };
}
