import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One request to a scripted upstream. */
export type Asked = {
  /** Counts all requests, from 1. */
  readonly number: number;
  readonly target: string;
  /** The number in the target's path, such as 7 of `/users/7`. */
  readonly id: number;
  /** To be written to as the script likes: what it says need not be HTTP. */
  readonly socket: Socket;
};

/** An upstream on a real socket that says what a row wants it to say. */
export type ScriptedUpstream = {
  readonly port: number;
  readonly origin: string;
  /** Requests so far. */
  readonly calls: number;
  /** Connections so far, and those that stand. */
  readonly connections: number;
  readonly open: number;
  /** What it does from now on with a request that has been read. */
  does(script: (asked: Asked) => void): void;
  /** Ends the connections that stand, and refuses others. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
};

const number = (text: string | undefined) => Number(/(\d+)(\?|$)/.exec(text ?? '')?.[1] ?? NaN);

/** Starts one on a free port of an address. */
export async function startScriptedUpstream(host = '127.0.0.1', wanted = 0): Promise<ScriptedUpstream> {
  const sockets = new Set<Socket>();
  let script: (asked: Asked) => void = () => undefined;
  let [calls, connections] = [0, 0];

  const server = createServer({ keepAliveTimeout: 60_000 }, (request: IncomingMessage, response) => {
    // The response object is never used: the script writes to the socket, and the next request may come on it.
    response.on('error', () => undefined);
    response.detachSocket(request.socket);
    calls += 1;
    const { url: target = '', socket } = request;
    script({ number: calls, target, id: number(target), socket });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });

  async function listen(port: number): Promise<number> {
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function down(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  const port = await listen(wanted);
  return {
    port,
    origin: `http://${host}:${port}`,
    get calls() {
      return calls;
    },
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    does: (next) => void (script = next),
    down,
    async up() {
      await listen(port);
    },
    close: down,
  };
}
