import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createCondition } from '../time/eventually.ts';

/** A request that an upstream has read as HTTP, with its whole body. */
export type UpstreamRequest = {
  /** Counts all requests of the upstream, from 1. */
  readonly number: number;
  readonly method: string;
  /** The path and the query, as they were sent. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The number at the end of the path, such as 7 of `/users/7`; NaN where there is none. */
  readonly id: number;
  /** The upstream's address, as the client named it. */
  readonly origin: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly socket: Socket;
};

/** An answer in HTTP. A body that is neither a text nor bytes is written as JSON, which is the type by default. */
export type HttpReply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** What an upstream does with a request: a reply, something to do with Node's response, or `undefined` to hang. */
export type Answer = HttpReply | ((response: ServerResponse) => unknown) | undefined;

/** A script in bytes: what the upstream does with a connection each time it has received more on it. */
export type BytesScript = (socket: Socket, received: string, connection: number) => unknown;

/** A script in HTTP: what the upstream does with each request. Made by `serving` and `writing`. */
export type HttpScript = {
  readonly onRequest: (request: UpstreamRequest, response: ServerResponse) => unknown;
};

export type Script = BytesScript | HttpScript;

/** An upstream on a real socket that does what a test scripts: it can answer, hang, reset, trickle and lie. */
export type ScriptedUpstream = {
  readonly port: number;
  readonly origin: string;
  /** Everything that scripts in bytes have received, per connection, in the order in which those were opened. */
  readonly received: readonly string[];
  /** Requests that were read as HTTP since the last `become`. */
  readonly requests: readonly UpstreamRequest[];
  /** How many requests there have been. */
  readonly calls: number;
  /** How many connections there have been, and how many are open now. */
  readonly connections: number;
  readonly open: number;
  /** Does this from now on, with no `requests` so far. What was a script in bytes stays one on open connections. */
  become(script: Script): void;
  /** Becomes `writing(act)`. */
  does(act: (request: UpstreamRequest) => unknown): void;
  /** Resolves once some connection has received `text`. */
  receives(text: string): Promise<unknown>;
  /** Resolves once so many connections were opened. */
  connected(count: number): Promise<unknown>;
  /** Resolves with how many connections there were once all of them have ended. */
  disconnected(): Promise<number>;
  /** Resolves once so many requests were read as HTTP. */
  requested(count: number): Promise<unknown>;
  /** Ends the open connections and refuses others, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
};

async function readRequest(incoming: IncomingMessage, number: number): Promise<UpstreamRequest> {
  const { method = '', url: target = '', headers, socket } = incoming;
  const { pathname: path, searchParams: query, origin } = new URL(target, `http://${headers.host}`);
  const id = Number(/\d+$/.exec(path)?.[0] ?? NaN);
  return { number, method, target, path, query, id, origin, headers, body: await text(incoming), socket };
}

function createHttpReader(
  onRequest: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
): HttpServer {
  return createHttpServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    response.on('error', () => undefined);
    // The client left within its request, or the script failed: a test sees it in the answer.
    onRequest(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(501).end(String(error));
    });
  });
}

/** Lets a server go down and come up again on the same port. */
function createPower(
  server: Server,
  sockets: ReadonlySet<Socket>,
  { host, port: wanted }: { host: string; port: number },
) {
  let port = wanted;
  return {
    get port() {
      return port;
    },
    up: async () => {
      server.listen(port, host);
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    },
    down: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Starts an upstream on a port of its own; without a script it reads requests and never answers. */
export async function startUpstream(
  script: Script = writing(() => undefined),
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number } = {},
): Promise<ScriptedUpstream> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const changes = createCondition();
  let requests: UpstreamRequest[] = [];
  let current = script;
  let calls = 0;

  async function onRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming, (calls += 1));
    requests.push(request);
    changes.announce();
    if (typeof current !== 'function') await current.onRequest(request, response);
  }

  const http = createHttpReader(onRequest);

  function readBytes(socket: Socket, connection: number): void {
    socket.on('end', () => socket.end());
    socket.on('data', (chunk) => {
      const all = `${received[connection]}${chunk.toString('latin1')}`;
      received[connection] = all;
      changes.announce();
      if (typeof current === 'function') current(socket, all, connection);
    });
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = received.push('') - 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      changes.announce();
    });
    changes.announce();
    if (typeof current === 'function') readBytes(socket, connection);
    else http.emit('connection', socket);
  });

  function become(next: Script): void {
    [current, requests] = [next, []];
  }

  const power = createPower(server, sockets, { host, port });
  await power.up();
  return {
    port: power.port,
    origin: `http://${host}:${power.port}`,
    received,
    get requests() {
      return requests;
    },
    get calls() {
      return calls;
    },
    get connections() {
      return received.length;
    },
    get open() {
      return sockets.size;
    },
    become,
    does: (act) => become(writing(act)),
    receives: (text) => changes.until(() => received.some((all) => all.includes(text))),
    connected: (count) => changes.until(() => received.length >= count),
    requested: (count) => changes.until(() => requests.length >= count),
    async disconnected() {
      await changes.until(() => sockets.size === 0);
      return received.length;
    },
    down: power.down,
    up: power.up,
    close: power.down,
  };
}

/** A script in bytes that gives every request without a body this answer. */
export function answering(...lines: string[]): BytesScript {
  const answered = new WeakMap<Socket, number>();
  return (socket, received) => {
    const requests = received.split('\r\n\r\n').length - 1;
    for (let i = answered.get(socket) ?? 0; i < requests; i += 1) socket.write(lines.join('\r\n'));
    answered.set(socket, requests);
  };
}

/** A script in bytes that acts once per connection, as soon as the head of a request is there. */
export function onHead(act: BytesScript): BytesScript {
  const acted = new WeakSet<Socket>();
  return (socket, received, connection) => {
    if (acted.has(socket) || !received.includes('\r\n\r\n')) return;
    acted.add(socket);
    act(socket, received, connection);
  };
}

/** A script in HTTP that answers each request. */
export function serving(answer: (request: UpstreamRequest) => Answer | Promise<Answer>): HttpScript {
  return {
    async onRequest(request, response) {
      const reply = await answer(request);
      if (typeof reply === 'function') reply(response);
      if (typeof reply !== 'object') return;
      const { status = 200, headers = {}, body } = reply;
      response.statusCode = status;
      if (body !== undefined) response.setHeader('Content-Type', 'application/json');
      response.setHeaders(new Map(Object.entries(headers)));
      response.end(typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
    },
  };
}

/** A script that reads requests as HTTP, and writes to the socket as it likes: what it says need not be HTTP. */
export function writing(act: (request: UpstreamRequest) => unknown): HttpScript {
  return {
    onRequest(request, response) {
      // Without its socket the response is nobody's: the next request on the connection does not wait for it.
      response.detachSocket(request.socket);
      act(request);
    },
  };
}

/** A script that reads everything and never says a word. */
export const silent: BytesScript = () => undefined;
