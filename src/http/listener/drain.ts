// Ends a server without an error for any client, so that a restart loses no request.

import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { resultWithin } from '../../kernel/result-within.ts';

const FORCE_MS = 6_000;
/**
 * The accept queue counts as empty if nobody has connected for `QUIET_MS`. The drain waits at most `QUIET_WAIT_MS_MAX` for
 * that. A busy process needs some time, because Node accepts one connection in each turn of its event loop.
 */
const QUIET_MS = 25;
const QUIET_WAIT_MS_MAX = 2_000;
/** How long an idle connection may take to send its next request before it is closed. */
const GRACE_MS = 500;
const IDLE_CHECK_MS = 50;

/**
 * Makes the function that drains a server without resetting a connection, even under load. For some time the server goes on
 * serving, and asks every client to close its connection. Then it stops listening, lets the responses in flight finish, and
 * the promise resolves. If other processes listen on the same port, it stops listening at once. A plain `server.close` would
 * never end while clients keep their connections busy.
 */
export function createDrain({
  server,
  drainMs,
  forceMs = FORCE_MS,
}: {
  readonly server: Server;
  /** For how many milliseconds the server goes on serving, so that load balancers notice the drain. */
  readonly drainMs: () => number;
  /** For how many milliseconds responses in flight may go on after that, before their connections are closed. */
  readonly forceMs?: number;
}) {
  let draining: Promise<void> | undefined;

  async function drain(othersListen: boolean) {
    let closesConnections = true;
    // Node then adds `Connection: close` to the response, and closes the connection after it.
    server.prependListener('request', (_req, res: ServerResponse) => {
      if (closesConnections) res.shouldKeepAlive = false;
    });
    const stopped = othersListen ? stopListening(server) : undefined;
    await delay(drainMs());
    if (!othersListen) {
      // When listening ends, connections in the accept queue are reset. A client whose connection is closed would connect
      // again and be in that queue. So connections are kept open for a moment, until the queue is empty.
      closesConnections = false;
      await untilNoNewConnections(server);
      closesConnections = true;
    }
    await untilClosed(server, stopped ?? stopListening(server), forceMs);
  }

  /**
   * Drains a server: finishes its requests, then closes it. A second call waits for the first. `othersListen`: whether other
   * processes listen on the same port, so that clients can connect to them instead.
   */
  return function drainOnce({ othersListen } = { othersListen: false }): Promise<void> {
    draining ??= drain(othersListen);
    return draining;
  };
}

/** Stops listening. Resolves when the last connection is closed. */
function stopListening(server: Server): Promise<unknown> {
  // The `close` of an HTTP server would also close idle connections at once, although a request may be on its way.
  return new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
}

async function untilNoNewConnections(server: Server): Promise<void> {
  let arrived = true;
  const note = () => (arrived = true);
  server.on('connection', note);
  for (let waitedMs = 0; arrived && waitedMs < QUIET_WAIT_MS_MAX; waitedMs += QUIET_MS) {
    arrived = false;
    await delay(QUIET_MS);
  }
  server.off('connection', note);
}

async function untilClosed(server: Server, closed: Promise<unknown>, forceMs: number): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), forceMs);
  await resultWithin(GRACE_MS, closed);
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
}
