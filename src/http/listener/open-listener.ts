import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Opens a server and returns its port. @throws Error if the address or the port cannot be used */
export function openListener(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Closes a server and its connections at once. */
export function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
