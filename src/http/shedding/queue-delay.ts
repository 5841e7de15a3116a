/** Watches how long requests have stood in line before the event loop comes to them. */
export type QueueDelay = {
  /** Asked once for every request: whether it is one too many. Of those who are `hasty` fewer are let in. */
  shouldShed(isHasty: boolean): boolean;
  /** How many more might come from now on; what was told once is not told again. */
  readonly spareCapacity: () => number;
  /** How long the line is so far, milliseconds. */
  readonly delayMs: number;
};

/** What the watch needs. */
export type QueueDelayDeps = {
  /** How long requests may stand in line, milliseconds. */
  readonly delayMsMax: number;
  readonly monotonic: () => number;
  /** Calls back at the next turn of the timers. */
  readonly atNextTurn: (listener: () => void) => void;
};

/**
 * So many requests of a line are always served: where fewer come, it is not they that keep the loop busy, and however
 * slow the machine is, something is answered.
 */
const ALWAYS_SERVED = 100;
/** Of the delay, for the hasty. Who comes right after a turn began, and is served late in the next, has stood for two. */
const PART_OF_DELAY = 0.5;
/** Lines are filled up to here, and by so much of what is left at a time: what comes of it is seen only turns later. */
const FILLED = 0.8;
const GAIN = 0.25;

/**
 * Makes the watch of one process. Whatever is ready is read in one turn of the event loop, so whoever is read late in a
 * long one has stood in line for as long. No timer can tell of that in time: while more than 1,024 connections are
 * ready, libuv reads 48 times as many before it looks at its timers, deadlines included (`uv__io_poll`); with two
 * thousand busy connections that were 3 s. So each request looks for itself. One long stall is not a line of requests.
 *
 * No more are refused than were served before, then the line counts as a new one: whoever is refused comes back later,
 * and all at once would leave nothing to do meanwhile.
 */
export function createQueueDelay({ delayMsMax, monotonic, atNextTurn }: QueueDelayDeps): QueueDelay {
  let [served, refused] = [0, 0];
  let [startedAt, latestAt] = [0, 0];
  let isAwaited = false;
  let isFull = false;
  let room = 0;
  let hasCome = false;

  function endLine(): void {
    [served, refused] = [0, 0];
  }

  function onTurn(): void {
    isAwaited = false;
    const fits = (served * FILLED * PART_OF_DELAY * delayMsMax) / Math.max(1, latestAt - startedAt);
    room = isFull ? 0 : Math.max(0, GAIN * (fits - served));
    isFull = false;
    endLine();
  }

  function begin(now: number): void {
    startedAt = now;
    hasCome = true;
    if (isAwaited) return;
    isAwaited = true;
    atNextTurn(onTurn);
  }

  return {
    shouldShed(isHasty) {
      const now = monotonic();
      if (served === 0) begin(now);
      else if (now - latestAt > delayMsMax) startedAt += now - latestAt;
      latestAt = now;
      if (served < ALWAYS_SERVED || now - startedAt <= (isHasty ? PART_OF_DELAY : 1) * delayMsMax) {
        served += 1;
        return false;
      }
      refused += 1;
      isFull = true;
      if (refused >= served) endLine();
      return true;
    },
    spareCapacity() {
      // Where nobody has come, it is not requests that keep the loop busy.
      const told = hasCome ? room : ALWAYS_SERVED;
      [room, hasCome] = [0, false];
      return told;
    },
    get delayMs() {
      return latestAt - startedAt;
    },
  };
}
