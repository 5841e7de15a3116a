import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Mutant } from './case.ts';
import { plainHead } from './framing.ts';

/** A request as a source sees it. */
export type AskedFor = { readonly method: string; readonly target: string; readonly body: string };

/** A source on a real socket that says bytes, not HTTP. */
export type HostileUpstream = {
  readonly url: string;
  /** What is asked next is answered by this. */
  serve(reply: (asked: AskedFor) => Mutant): void;
  /** Resolves once nobody waits for the rest of a reply any more. */
  abandoned(): Promise<void>;
  close(): Promise<void>;
};

function writeTo(socket: Socket, mutant: Mutant): void {
  const { head = plainHead, body = (m: Mutant) => m.body, then = 'keep' } = mutant.wire;
  // Latin-1, so that a header may hold any byte.
  const bytes = Buffer.concat([Buffer.from(head(mutant), 'latin1'), body(mutant)]);
  if (then === 'end') socket.end(bytes);
  else if (then === 'reset') socket.write(bytes, () => socket.resetAndDestroy());
  else socket.write(bytes);
}

/** Starts it on a free port. Requests are read as HTTP; what it says is written to the socket as it is. */
export async function startHostileUpstream(): Promise<HostileUpstream> {
  let serve: ((asked: AskedFor) => Mutant) | undefined;
  const sockets = new Set<Socket>();
  /** Those on which a reply was begun that will never be complete. */
  const hanging = new Set<Socket>();
  let tellAbandoned: (() => void) | undefined;

  async function answer(request: IncomingMessage): Promise<void> {
    const asked = { method: request.method ?? '', target: request.url ?? '', body: await text(request) };
    const { socket } = request;
    if (socket.destroyed || serve === undefined) return;
    const mutant = serve(asked);
    if (mutant.wire.then === 'hang') hanging.add(socket);
    writeTo(socket, mutant);
  }

  const server = createServer((request, response) => {
    // The response object is never used, but holds the connection's place until the socket is done.
    response.on('error', () => undefined);
    // A client that went away while it was asking has nobody who could be answered.
    answer(request).catch(() => undefined);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      if (hanging.delete(socket) && hanging.size === 0) tellAbandoned?.();
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (reply) => void (serve = reply),
    abandoned: () =>
      new Promise((resolve) => {
        tellAbandoned = resolve;
        if (hanging.size === 0) resolve();
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
