import type { Socket } from 'node:net';

/** Refused connections that are not read for a while: what their clients send meanwhile costs nothing yet. */
export type Unheard = {
  /** For how long whoever is refused now will not be heard, milliseconds. */
  readonly holdMs: number;
  /** Reads a connection no more, for half to all of `holdMs`. */
  add(socket: Socket, holdMs: number): void;
  /** Reads all of them again. */
  readonly hearAll: () => void;
};

/** For each connection that is not read: then some 5 % of a core go into refusing. */
const HOLD_MS_EACH = 0.8;
const HOLD_MS_MAX = 5_000;
/** Connections are heard again one by one, not all at once. */
const STEPS = 8;

/** Makes an empty collection of them. */
export function createUnheard(): Unheard {
  const sockets = new Set<Socket>();
  let count = 0;

  function hear(socket: Socket): void {
    if (sockets.delete(socket) && !socket.destroyed) socket.resume();
  }

  return {
    get holdMs() {
      return Math.min(HOLD_MS_MAX, Math.ceil(HOLD_MS_EACH * (sockets.size + 1)));
    },
    add(socket, holdMs) {
      count += 1;
      sockets.add(socket);
      socket.pause();
      setTimeout(hear, (holdMs * (STEPS + 1 + (count % STEPS))) / (2 * STEPS), socket).unref();
    },
    hearAll() {
      for (const socket of sockets) hear(socket);
    },
  };
}
