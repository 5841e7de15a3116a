import type { Socket } from 'node:net';

/** Refused connections that are not read for a while: what their clients send meanwhile costs nothing yet. */
export type PausedConnections = {
  readonly count: number;
  /** For how long whoever is refused now will not be heard at most, milliseconds. */
  readonly expectedPauseMs: number;
  /** Reads a connection no more until it is its turn. */
  pause(socket: Socket): void;
  /**
   * How long the request that has just come on a connection may have waited there unread, milliseconds. Nothing where
   * nobody is refused any more: then there is time for it.
   */
  pausedMs(socket: Socket): number;
  /** Reads all of them again. */
  resumeAll(): void;
};

/** What the collection needs. */
export type PausedConnectionsDeps = {
  readonly monotonic: () => number;
  /** How many more the process could serve, asked before any are heard. */
  readonly takeRoom: () => number;
  /** Calls back at the next turn of the timers. */
  readonly atNextTurn: (listener: () => void) => void;
  /** Calls back once everything is read that was there to be read. */
  readonly afterReading: (listener: () => void) => void;
};

/**
 * So many are heard again in a millisecond even where there is no room, so that everybody has a turn. It costs two
 * refusals: of what waited there, and of who is too many then. Both together are some 3 % of a core.
 */
const HEARD_PER_MS = 0.3;
const HOLD_MS_MAX = 5_000;
/** A longer stall is not made up for. */
const TURN_MS_MAX = 100;
/** Overload is over when nobody was added for so long. */
const CALM_MS = 500;

/** Makes an empty collection of them. */
export function createPausedConnections({
  monotonic,
  takeRoom,
  atNextTurn,
  afterReading,
}: PausedConnectionsDeps): PausedConnections {
  /** With the time since when, the longest first. */
  const sockets = new Map<Socket, number>();
  /** Those that are read again since this turn, with how long they were not. */
  const heard = new Map<Socket, number>();
  let [addedAt, turnedAt] = [0, 0];
  let due = 0;
  let isAwaited = false;

  const perMs = () => Math.max(HEARD_PER_MS, sockets.size / HOLD_MS_MAX);

  function hear(socket: Socket, forMs: number): void {
    sockets.delete(socket);
    if (socket.destroyed) return;
    heard.set(socket, forMs);
    socket.resume();
  }

  function awaitTurn(now: number): void {
    turnedAt = now;
    if (isAwaited) return;
    isAwaited = true;
    atNextTurn(onTurn);
  }

  function onTurn(): void {
    isAwaited = false;
    const now = monotonic();
    due += takeRoom() + perMs() * Math.min(TURN_MS_MAX, now - turnedAt);
    for (const [socket, since] of sockets) {
      if (due < 1) break;
      due -= 1;
      hear(socket, now - since);
    }
    afterReading(() => heard.clear());
    if (sockets.size > 0) awaitTurn(now);
    else due = 0;
  }

  return {
    get count() {
      return sockets.size;
    },
    get expectedPauseMs() {
      return Math.ceil((sockets.size + 1) / perMs());
    },
    pause(socket) {
      addedAt = monotonic();
      socket.pause();
      if (sockets.size === 0) awaitTurn(addedAt);
      sockets.set(socket, addedAt);
    },
    pausedMs(socket) {
      const ms = heard.get(socket);
      if (ms === undefined) return 0;
      heard.delete(socket);
      return monotonic() - addedAt > CALM_MS ? 0 : ms;
    },
    resumeAll() {
      for (const socket of sockets.keys()) hear(socket, 0);
      heard.clear();
    },
  };
}
