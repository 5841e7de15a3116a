import type { Clock } from '../../kernel/clock.ts';

/** How long requests wait in the queue of the event loop before they are read. */
export type QueueDelay = {
  /** Whether a new request is one too many; called once for each. Fewer of aggressive clients are let in. */
  shouldShed(isAggressive: boolean): boolean;
  /** Takes note of a response that is out: what the process can answer shows in how many there are. */
  answered(): void;
  /** How many more requests could come from now on. The next call answers 0 until something changes. */
  readonly spareCapacity: () => number;
  /** How many responses the process has made in a millisecond lately. */
  readonly answersPerMs: number;
  /** The queue delay so far, milliseconds. */
  readonly delayMs: number;
};

/** What the measuring needs. */
export type QueueDelayDeps = {
  /** How long requests may wait in the queue, milliseconds. */
  readonly delayMsMax: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Calls back at the next tick of the timers. */
  readonly onTick: (listener: () => void) => void;
};

/**
 * So many requests of a queue are always served: if fewer come, they are not what keeps the loop busy, and however
 * slow the machine is, something is answered. Clients that are not aggressive have as many to themselves, so that one
 * who asks once a second is answered whatever others do.
 */
const ALWAYS_SERVED = 100;
/**
 * Of aggressive clients no more than the process answers in the time they may wait, yet so many. A hundred misses of
 * half a millisecond each would keep the loop busy for twice that time.
 */
const AGGRESSIVE_SERVED_MIN = 10;
/** The part of a new measure in the moving average of how many responses the process makes in a millisecond. */
const RATE_PART = 0.2;
/** The part of the delay for aggressive clients: one that comes early in a tick and is served late in the next waits for both. */
const AGGRESSIVE_PART = 0.5;
/** Queues are filled up to this part, by `GAIN` of what is missing each time: the effect shows only ticks later. */
const FILL_PART = 0.8;
const GAIN = 0.25;

/**
 * Measures the queue delay of one process. All connections that are ready are read in one turn of the event loop, so a
 * request that is read late in a long turn has waited for as long. A timer would notice too late: while more than
 * 1,024 connections are ready, libuv reads 48 times as many before it looks at its timers, deadlines included
 * (`uv__io_poll`); with two thousand busy connections that took 3 s. So every request looks at the clock. One long
 * stall is not a queue of requests.
 *
 * Once as many were refused as served, the queue counts as new: refused clients come back later, and if all were
 * refused there would be nothing to do meanwhile.
 */
export function createQueueDelay({ delayMsMax, clock, onTick }: QueueDelayDeps): QueueDelay {
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
    shouldShed(isAggressive) {
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
    answered() {
      answered += 1;
    },
    spareCapacity() {
      // Without any request, requests are not what keeps the loop busy.
      const answer = hasServed ? spare : ALWAYS_SERVED;
      [spare, hasServed] = [0, false];
      return answer;
    },
    get answersPerMs() {
      return answersPerMs;
    },
    get delayMs() {
      return latestAt - startedAt;
    },
  };
}
