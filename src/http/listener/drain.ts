import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What leaving gracefully needs. */
export type DrainDeps = {
  readonly server: Server;
  /** How long to serve on while balancers take note, milliseconds. */
  readonly drainMs: number;
  /** How long answers under way may take after that, before their connections are cut, milliseconds. */
  readonly forceMs?: number;
};

const FORCE_MS = 6_000;
/**
 * How long nobody may connect for the queue of new connections to count as empty, and how long to wait for that. Node
 * accepts one connection per turn of its loop, so a busy process needs a while.
 */
const QUIET_MS = 25;
const LAST_CALL_MS = 2_000;
/** How long a kept connection may take to bring its next request, before it counts as idle. */
const GRACE_MS = 500;
const IDLE_CHECK_MS = 50;

/** Ends a server; whoever calls again joins the drain under way. */
export type Drain = (leaving?: {
  /** Others accept connections at the same place: whoever parts from us finds them. */
  readonly othersListen: boolean;
}) => Promise<void>;

/**
 * Makes the function that ends a server without a reset, also under load. It serves on for a while and asks every
 * client to close its connection; then it listens no more, lets the answers under way finish, and resolves. Where
 * others listen, it stops listening at once. A plain `server.close` would never end under keep-alive load.
 */
export function createDrain(deps: DrainDeps): Drain {
  const { server, drainMs, forceMs = FORCE_MS } = deps;
  let draining: Promise<void> | undefined;

  async function drain(othersListen: boolean) {
    let partsWithClients = true;
    // Node then says `Connection: close` on the answer, whoever writes it, and closes after it.
    server.prependListener('request', (_req, res: ServerResponse) => {
      if (partsWithClients) res.shouldKeepAlive = false;
    });
    const stopped = othersListen ? stopListening(server) : undefined;
    await delay(drainMs);
    if (!othersListen) {
      // The end of listening resets whoever queues to be accepted, and clients that were sent away queue again. For a
      // moment they are kept, until the queue is empty.
      partsWithClients = false;
      await untilNobodyConnects(server);
      partsWithClients = true;
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
  // The close of an HTTP server would also cut, at once, connections whose next request is on its way to us.
  return new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
}

async function untilNobodyConnects(server: Server): Promise<void> {
  let arrived = true;
  const note = () => (arrived = true);
  server.on('connection', note);
  for (let waitedMs = 0; arrived && waitedMs < LAST_CALL_MS; waitedMs += QUIET_MS) {
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
