// Stops reading the connections of refused clients for some time, so that their next requests cost nothing yet.

import type { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.ts';

type PausedConnectionsDeps = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Returns how many more requests the process could serve. It is called before connections are resumed. */
  readonly spareCapacity: () => number;
  /** Calls back at the next tick of the timers. */
  readonly onTick: (listener: () => void) => void;
  /** Calls back when everything was read that had already arrived. */
  readonly afterReading: (listener: () => void) => void;
  /** Called with each connection that is read again. */
  readonly onResume: (socket: Socket) => void;
};

/**
 * How many connections are resumed in a millisecond even without spare capacity, so that each gets its turn. Each costs two
 * refusals: of the request that waited there, and of another one that is then too many. That is about 3 % of a core.
 */
const RESUMED_PER_MS_MIN = 0.3;
/** The longest pause of a connection, in milliseconds. */
export const PAUSE_MS_MAX = 5_000;
/** The longest time between two ticks that counts, so that a stall is not followed by too many resumptions at once. */
const TICK_MS_MAX = 100;
/** Overload is over when no connection was paused for this time. */
const CALM_MS = 500;

/** Creates the set of paused connections. */
export function createPausedConnections(deps: PausedConnectionsDeps) {
  const { clock, spareCapacity, onTick, afterReading, onResume } = deps;
  /** The paused connections with the time of their pause, the longest paused first. */
  const paused = new Map<Socket, number>();
  /** The connections that were resumed at the last tick, with the length of their pause. */
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
    get count(): number {
      return paused.size;
    },
    /** For how many milliseconds at most a connection would be paused from now on. */
    get expectedPauseMs(): number {
      return Math.ceil((paused.size + 1) / perMs());
    },
    pause(socket: Socket): void {
      latestPauseAt = clock.monotonic();
      socket.pause();
      if (paused.size === 0) awaitTick(latestPauseAt);
      paused.set(socket, latestPauseAt);
    },
    /**
     * For how many milliseconds a new request may have waited on its paused connection. 0 if nobody is refused any more, because
     * then there is time for it.
     */
    pausedMs(socket: Socket): number {
      const ms = resumed.get(socket);
      if (ms === undefined) return 0;
      resumed.delete(socket);
      return clock.monotonic() - latestPauseAt > CALM_MS ? 0 : ms;
    },
    resumeAll(): void {
      for (const socket of paused.keys()) resume(socket, 0);
      resumed.clear();
    },
  };
}
