// Opens and closes the listeners of the gateway: the public one, and that of the operators.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Has a server listen, and returns its port. @throws Error if the address or the port cannot be used */
export async function openListener(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  // `once` rejects if the server emits an error first.
  await once(server.listen({ host, port }), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Closes a server and all its connections at once. */
export function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
