import type { Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What leaving gracefully needs. */
export type DrainDeps = {
  readonly server: Server;
  /** How long to serve on while balancers take note, milliseconds. */
  readonly drainMs: number;
  /** Called first: from now on, `/readyz` says no. */
  readonly onNotReady: () => void;
  /** How long answers under way may take after that, before their connections are cut, milliseconds. */
  readonly forceMs?: number;
};

const FORCE_MS = 8_000;
const IDLE_CHECK_MS = 50;

/**
 * Makes the function that ends a server without a reset: it serves on for a while and asks every client to close
 * its connection, then listens no more, lets the answers under way finish and resolves. Calling it again joins the
 * drain under way. A plain `server.close` would never end under keep-alive load.
 */
export function createDrain({
  server,
  drainMs,
  onNotReady,
  forceMs = FORCE_MS,
}: DrainDeps): () => Promise<void> {
  let draining: Promise<void> | undefined;

  async function drain() {
    onNotReady();
    // Node then says `Connection: close` on the answer, whoever writes it, and closes after it.
    server.prependListener('request', (_req, res: ServerResponse) => (res.shouldKeepAlive = false));
    await delay(drainMs);
    await closed();
  }

  function closed(): Promise<void> {
    return new Promise((resolve) => {
      // An answer that began before the drain leaves its connection open and idle.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const force = setTimeout(() => server.closeAllConnections(), forceMs);
      server.close(() => {
        clearInterval(idle);
        clearTimeout(force);
        resolve();
      });
    });
  }

  return function drainOnce() {
    draining ??= drain();
    return draining;
  };
}
