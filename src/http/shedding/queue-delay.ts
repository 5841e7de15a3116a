import type { Clock } from '../../kernel/clock.ts';

/** How long requests wait in the queue of the event loop before they are read. */
export type QueueDelay = {
  /** Whether a new request is one too many; called once for each. Fewer of aggressive clients are let in. */
  shouldShed(isAggressive: boolean): boolean;
  /** How many more requests could come from now on. The next call answers 0 until something changes. */
  readonly spareCapacity: () => number;
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
 * slow the machine is, something is answered.
 */
const ALWAYS_SERVED = 100;
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
  let [served, refused] = [0, 0];
  let [startedAt, latestAt] = [0, 0];
  let [isTickDue, hasRefused, hasServed] = [false, false, false];
  let spare = 0;

  function startQueue(now: number): void {
    startedAt = now;
    hasServed = true;
    if (isTickDue) return;
    isTickDue = true;
    onTick(endQueue);
  }

  function endQueue(): void {
    isTickDue = false;
    const fitting = (served * FILL_PART * AGGRESSIVE_PART * delayMsMax) / Math.max(1, latestAt - startedAt);
    spare = hasRefused ? 0 : Math.max(0, GAIN * (fitting - served));
    hasRefused = false;
    [served, refused] = [0, 0];
  }

  return {
    shouldShed(isAggressive) {
      const now = clock.monotonic();
      if (served === 0) startQueue(now);
      else if (now - latestAt > delayMsMax) startedAt += now - latestAt;
      latestAt = now;
      if (served < ALWAYS_SERVED || now - startedAt <= (isAggressive ? AGGRESSIVE_PART : 1) * delayMsMax) {
        served += 1;
        return false;
      }
      refused += 1;
      hasRefused = true;
      if (refused >= served) [served, refused] = [0, 0];
      return true;
    },
    spareCapacity() {
      // Without any request, requests are not what keeps the loop busy.
      const answer = hasServed ? spare : ALWAYS_SERVED;
      [spare, hasServed] = [0, false];
      return answer;
    },
    get delayMs() {
      return latestAt - startedAt;
    },
  };
}
