import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const FORCE_MS = 6_000;
/**
 * The accept queue counts as empty once nobody has connected for `QUIET_MS`. The drain waits `QUIET_WAIT_MS_MAX` for that.
 * Node accepts one connection per turn of its loop, so a busy process needs a while.
 */
const QUIET_MS = 25;
const QUIET_WAIT_MS_MAX = 2_000;
/** How long an idle connection may take to send its next request before it is closed. */
const GRACE_MS = 500;
const IDLE_CHECK_MS = 50;

/** Drains a server; a second call joins the first. */
export type Drain = (leaving?: {
  /** Other processes accept connections on the same port, so clients that are sent away reach them. */
  readonly othersListen: boolean;
}) => Promise<void>;

/**
 * Makes the function that drains a server without resetting a connection, also under load. It serves on for a while and asks
 * every client to close its connection; then it stops listening, lets the responses in flight finish, and resolves. If others
 * listen on the same port, it stops listening at once. A plain `server.close` would never end under keep-alive load.
 */
export function createDrain({
  server,
  drainMs,
  forceMs = FORCE_MS,
}: {
  readonly server: Server;
  /** For how many milliseconds the server serves on, so that load balancers notice that it is draining. */
  readonly drainMs: () => number;
  /** For how many milliseconds responses in flight may go on after that, before their connections are cut. */
  readonly forceMs?: number;
}): Drain {
  let draining: Promise<void> | undefined;

  async function drain(othersListen: boolean) {
    let closesConnections = true;
    // Node then adds `Connection: close` to the response and closes the connection after it.
    server.prependListener('request', (_req, res: ServerResponse) => {
      if (closesConnections) res.shouldKeepAlive = false;
    });
    const stopped = othersListen ? stopListening(server) : undefined;
    await delay(drainMs());
    if (!othersListen) {
      // When listening ends, connections in the accept queue are reset. A client that is sent away would connect again and
      // stand in that queue, so connections stay open for a moment, until the queue is empty.
      closesConnections = false;
      await untilNoNewConnections(server);
      closesConnections = true;
    }
    await untilClosed(server, stopped ?? stopListening(server), forceMs);
  }

  return function drainOnce({ othersListen } = { othersListen: false }) {
    draining ??= drain(othersListen);
    return draining;
  };
}

/** Resolves once the last connection is closed. */
function stopListening(server: Server): Promise<unknown> {
  // `close` of an HTTP server would also cut idle connections at once, whose next request may be on its way.
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
  await Promise.race([closed, delay(GRACE_MS, undefined, { ref: false })]);
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
}
