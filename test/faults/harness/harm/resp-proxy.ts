import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port that is a real Redis until it is told to answer for itself. */
export type RespProxy = {
  readonly port: number;
  /** How many commands it has answered for itself. */
  readonly answered: number;
  /**
   * Answers every command with these bytes, such as `-LOADING Redis is loading\r\n`, on all connections; what greets a new
   * connection is answered as Redis does, unless `greets` is false. `undefined`: Redis answers again.
   */
  say(reply: string | Buffer | undefined, greets?: boolean): void;
  close(): Promise<void>;
};

const INFO = 'redis_version:7.0.15\r\nloading:0\r\nrole:master\r\n';
const GREETINGS: Readonly<Record<string, string>> = {
  hello: '%3\r\n+server\r\n+redis\r\n+version\r\n+7.0.15\r\n+proto\r\n:3\r\n',
  client: '+OK\r\n',
  select: '+OK\r\n',
  info: `$${INFO.length}\r\n${INFO}\r\n`,
};

/** The names of the commands in some bytes, and how many bytes they took; a command that is not whole is left. */
function readCommands(bytes: Buffer): { readonly names: readonly string[]; readonly taken: number } {
  const names: string[] = [];
  let taken = 0;
  for (;;) {
    let at = taken;
    const line = (): number | undefined => {
      const end = bytes.indexOf('\r\n', at);
      if (end === -1) return undefined;
      const number = Number(bytes.toString('latin1', at + 1, end));
      at = end + 2;
      return number;
    };
    const count = line();
    let name = '';
    for (let i = 0; i < (count ?? 0); i += 1) {
      const length = line();
      if (length === undefined || at + length + 2 > bytes.length) return { names, taken };
      if (i === 0) name = bytes.toString('latin1', at, at + length).toLowerCase();
      at += length + 2;
    }
    if (count === undefined) return { names, taken };
    names.push(name);
    taken = at;
  }
}

/** Starts it in front of a real Redis. */
export async function startRespProxy(target: number): Promise<RespProxy> {
  const sockets = new Set<Socket>();
  let reply: string | Buffer | undefined;
  let greeting = true;
  let answered = 0;

  function answer(name: string): string | Buffer {
    answered += 1;
    return (greeting ? GREETINGS[name] : undefined) ?? reply ?? '';
  }

  const server = createServer((client) => {
    const redis = connect({ port: target, host: '127.0.0.1' });
    let unread = Buffer.alloc(0);
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    redis.on('data', (chunk: Buffer) => client.write(chunk));
    client.on('data', (chunk: Buffer) => {
      if (reply === undefined) {
        redis.write(chunk);
        return;
      }
      unread = Buffer.concat([unread, chunk]);
      const { names, taken } = readCommands(unread);
      unread = unread.subarray(taken);
      for (const name of names) client.write(answer(name));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    get answered() {
      return answered;
    },
    say(bytes, greets = true) {
      [reply, greeting] = [bytes, greets];
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
