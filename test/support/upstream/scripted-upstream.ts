import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** An upstream that a test scripts byte by byte, with everything it heard. */
export type LegacyUpstream = {
  readonly port: number;
  readonly origin: string;
  /** Everything received, per connection, in order of their opening. */
  readonly heard: readonly string[];
  /** Resolves once some connection has heard `text`. */
  hears(text: string): Promise<void>;
  /** Resolves once so many connections were made. */
  opens(count: number): Promise<void>;
  /** Resolves with how many connections there were once all of them have ended. */
  quiet(): Promise<number>;
  stop(): Promise<void>;
};

/** What the upstream does with a connection each time more of it was heard. */
export type Script = (socket: Socket, heard: string, connection: number) => void;

/** Starts an upstream on a free port. */
export async function startLegacyUpstream(script: Script): Promise<LegacyUpstream> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const tell of watchers) tell();
  };
  const server = createServer((socket) => {
    const connection = heard.push('') - 1;
    sockets.add(socket);
    wake();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      wake();
    });
    socket.on('data', (chunk) => {
      heard[connection] = `${heard[connection] ?? ''}${chunk.toString('latin1')}`;
      wake();
      script(socket, heard[connection] ?? '', connection);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  function until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  }

  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    heard,
    hears: (text) => until(() => heard.some((all) => all.includes(text))),
    opens: (count) => until(() => heard.length >= count),
    async quiet() {
      await until(() => sockets.size === 0);
      return heard.length;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A script that gives every request without a body this answer. */
export function answering(...lines: string[]): Script {
  const answered = new WeakMap<Socket, number>();
  return (socket, heard) => {
    const requests = heard.split('\r\n\r\n').length - 1;
    for (let i = answered.get(socket) ?? 0; i < requests; i += 1) socket.write(lines.join('\r\n'));
    answered.set(socket, requests);
  };
}

/** A script that acts once per connection, as soon as a request's head is there. */
export function onHead(act: (socket: Socket, heard: string, connection: number) => void): Script {
  const acted = new WeakSet<Socket>();
  return (socket, heard, connection) => {
    if (acted.has(socket) || !heard.includes('\r\n\r\n')) return;
    acted.add(socket);
    act(socket, heard, connection);
  };
}
