// A faster connection pool for agents of node:http that serve a single host, and the pools of an upstream.

import type { Agent, ClientRequest, ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { UpstreamHost } from '../../../kernel/upstream-call.ts';
import { createAgent } from './agents.ts';

/** Where an agent opens its connections. */
type Destination = Pick<ConnectionOptions, 'host' | 'port' | 'servername' | 'rejectUnauthorized'>;

/** A connection, with what Node's client stores in it. The types of Node leave this out. */
type ClientSocket = Socket & {
  /** Reads the response to the current request; absent between requests. */
  parser?: object | null;
  _httpMessage?: ClientRequest | null;
  /** Until when the other side keeps the connection open, by `performance.now()`; absent: it has not said so. */
  usableUntilMs?: number;
};

/** The method of an agent that Node's client calls for each request. The types of Node leave it out. */
type RequestTaker = Agent & { addRequest(request: ClientRequest, to: Destination): void };

/**
 * At most so many idle connections to one host stay open, as with Node's own agent. If it were fewer than run at once, then a
 * quarter of the requests of a busy route would open a connection, which takes a tenth of their time.
 */
const IDLE_MAX = 256;

/** Closes a connection on which bytes come that no request waits for. They would be read as the response to the next request. */
function closeIfUnasked(this: ClientSocket): void {
  if (!this.parser) this.destroy();
}

/** An error of an idle connection concerns nobody: the connection closes by itself. */
const ignoreError = () => undefined;

/**
 * Stores how long the other side keeps a connection open, from its `Keep-Alive` header. In the last second before that, the
 * connection is not used again, because a request that meets the end of its connection is lost, and not every request may be sent
 * again.
 */
export function noteKeepAlive(socket: Socket, header: string): void {
  const [, seconds] = /^timeout=(\d+)/.exec(header) ?? [];
  if (seconds !== undefined)
    (socket as ClientSocket).usableUntilMs = performance.now() + (Number(seconds) - 1) * 1_000;
}

/** Whether an idle connection can be used, as far as is known. It is not writable once the other side has ended it. */
function isUsable({ writable, usableUntilMs }: ClientSocket): boolean {
  return writable && (usableUntilMs === undefined || performance.now() < usableUntilMs);
}

/**
 * Replaces the pool of an agent by one for a single host, because that is faster. Node's agent serves any host, so for each
 * request it copies all options, makes a name of them, moves the connection and its listeners between lists, and parses all
 * headers of the response. This takes a twentieth of the time of a pass-through request. Returns the function that closes the idle
 * connections.
 */
export function serveOneHost(agent: Agent, name: string, host: Destination): () => void {
  const taker = agent as RequestTaker;
  const addRequest = taker.addRequest.bind(taker);
  const createConnection = taker.createConnection.bind(taker);
  /** The newest one is last. It is used first, so that the others can go out of use. */
  const idle: ClientSocket[] = [];

  function takeIdle(): ClientSocket | undefined {
    for (;;) {
      const socket = idle.pop();
      if (socket === undefined || isUsable(socket)) return socket;
      socket.destroy();
    }
  }

  function onClose(this: ClientSocket): void {
    const index = idle.indexOf(this);
    if (index >= 0) idle.splice(index, 1);
  }

  taker.getName = () => name;
  taker.createConnection = (options: ClientRequestArgs, callback) => {
    const socket = createConnection(options, callback);
    socket?.on('error', ignoreError).on('data', closeIfUnasked).once('close', onClose);
    return socket;
  };
  taker.addRequest = (request) => {
    const socket = takeIdle();
    if (socket === undefined) {
      addRequest(request, host);
      return;
    }
    request.reusedSocket = true;
    socket.ref();
    request.onSocket(socket);
  };
  // Connections stay in `agent.sockets` until they close, so that `destroy` ends idle ones, too.
  taker.removeAllListeners('free').on('free', (socket: ClientSocket) => {
    const mayStay = socket.writable && socket.readableLength === 0 && idle.length < IDLE_MAX;
    if (!mayStay || socket._httpMessage?.shouldKeepAlive !== true) {
      socket.destroy();
      return;
    }
    // The socket would keep the whole request in memory.
    socket._httpMessage = null;
    // An idle connection does not keep the process running.
    socket.unref();
    idle.push(socket);
  });
  return () => {
    for (const socket of idle.splice(0)) socket.destroy();
  };
}

/** Creates the connection pools of an upstream: one for each origin object, created when it is first needed. */
export function createConnectionPools(net: Pick<SourceSpec['net'], 'tls' | 'connectTimeout'>) {
  const pools = new Map<UpstreamHost, Agent>();
  const unpooled = { http: createAgent(net, false, false), https: createAgent(net, true, false) };

  function poolOf(origin: UpstreamHost): Agent {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const agent = createAgent(net, origin.isTls, true);
    serveOneHost(agent, origin.host, { host: origin.hostname, port: origin.port });
    pools.set(origin, agent);
    return agent;
  }

  return {
    /** The agent of a request; `isFresh`: an agent that opens a connection for this request alone. */
    agentFor(origin: UpstreamHost, isFresh: boolean): Agent {
      if (!isFresh) return poolOf(origin);
      return origin.isTls ? unpooled.https : unpooled.http;
    },
    /** Ends all connections. */
    close(): void {
      for (const agent of [...pools.values(), ...Object.values(unpooled)]) agent.destroy();
    },
  };
}
