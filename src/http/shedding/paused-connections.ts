import type { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.ts';

/** Connections of refused clients that are not read for a while: what they send meanwhile costs nothing yet. */
export type PausedConnections = {
  readonly count: number;
  /** How long a connection that is paused now will stay paused at most, milliseconds. */
  readonly expectedPauseMs: number;
  pause(socket: Socket): void;
  /**
   * How long the request that has just come may have waited on its paused connection, milliseconds; 0 once nobody is
   * refused any more, because then there is time for it.
   */
  pausedMs(socket: Socket): number;
  resumeAll(): void;
};

/** What the pausing needs. */
export type PausedConnectionsDeps = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How many more requests the process could serve; asked before connections are resumed. */
  readonly spareCapacity: () => number;
  /** Calls back at the next tick of the timers. */
  readonly onTick: (listener: () => void) => void;
  /** Calls back once everything was read that was there to be read. */
  readonly afterReading: (listener: () => void) => void;
  /** Told of each connection that is read again. */
  readonly onResume: (socket: Socket) => void;
};

/**
 * So many connections are resumed in a millisecond even without spare capacity, so that each has its turn. A resumed
 * one costs two refusals: of what waited there, and of a request that is too many then; together some 3 % of a core.
 */
const RESUMED_PER_MS_MIN = 0.3;
/** The longest pause of a connection, milliseconds. */
export const PAUSE_MS_MAX = 5_000;
/** What a longer stall delayed is not made up for at once. */
const TICK_MS_MAX = 100;
/** Overload is over when no connection was paused for so long. */
const CALM_MS = 500;

/** Creates an empty collection of paused connections. */
export function createPausedConnections(deps: PausedConnectionsDeps): PausedConnections {
  const { clock, spareCapacity, onTick, afterReading, onResume } = deps;
  /** Each with the time of its pause, the longest paused first. */
  const paused = new Map<Socket, number>();
  /** Those resumed since this tick, with how long they were paused. */
  const resumed = new Map<Socket, number>();
  let [latestPauseAt, tickedAt] = [0, 0];
  let due = 0;
  let isTickDue = false;

  const perMs = () => Math.max(RESUMED_PER_MS_MIN, paused.size / PAUSE_MS_MAX);

  function resume(socket: Socket, pausedMs: number): void {
    paused.delete(socket);
    if (socket.destroyed) return;
    resumed.set(socket, pausedMs);
    onResume(socket);
    socket.resume();
  }

  function awaitTick(now: number): void {
    tickedAt = now;
    if (isTickDue) return;
    isTickDue = true;
    onTick(resumeDue);
  }

  function resumeDue(): void {
    isTickDue = false;
    const now = clock.monotonic();
    due += spareCapacity() + perMs() * Math.min(TICK_MS_MAX, now - tickedAt);
    for (const [socket, since] of paused) {
      if (due < 1) break;
      due -= 1;
      resume(socket, now - since);
    }
    afterReading(() => resumed.clear());
    if (paused.size > 0) awaitTick(now);
    else due = 0;
  }

  return {
    get count() {
      return paused.size;
    },
    get expectedPauseMs() {
      return Math.ceil((paused.size + 1) / perMs());
    },
    pause(socket) {
      latestPauseAt = clock.monotonic();
      socket.pause();
      if (paused.size === 0) awaitTick(latestPauseAt);
      paused.set(socket, latestPauseAt);
    },
    pausedMs(socket) {
      const ms = resumed.get(socket);
      if (ms === undefined) return 0;
      resumed.delete(socket);
      return clock.monotonic() - latestPauseAt > CALM_MS ? 0 : ms;
    },
    resumeAll() {
      for (const socket of paused.keys()) resume(socket, 0);
      resumed.clear();
    },
  };
}
