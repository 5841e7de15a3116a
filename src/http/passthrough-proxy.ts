import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Stream } from 'node:stream';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { fault, type GatewayError } from '../errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Exchange } from './exchange.ts';
import { isPlainlyFramed, mayBeFollowed } from './passthrough-body.ts';
import { type HeaderLines, type Passage, returnedHeaders } from './passthrough-headers.ts';
import { partIfUnread } from './unread-body.ts';

/** Where an upstream is, as httpxy reads it: text would be parsed anew, twice, for every request. */
export type Destination = {
  readonly protocol: string;
  /** A name or an address, the latter without brackets. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly agent: Agent;
};

/** One request on its way to an upstream, with everything about it decided. */
export type Journey = {
  readonly req: IncomingMessage;
  readonly exchange: Exchange;
  /** Aborts when the client has gone or the deadline is spent. */
  readonly signal: AbortSignal;
  readonly destination: Destination;
  /** Path and query of the request line. */
  readonly path: string;
  /** All header lines for the upstream, by lower-case name. */
  readonly headers: HeaderLines;
  /** The request body where it is not the request itself. */
  readonly body: Stream | undefined;
  /** Whether the request may be sent a second time. */
  readonly repeatable: boolean;
  readonly passage: Passage;
  /** Whether the answer is for the caller only, where the upstream does not say. */
  readonly privately: boolean;
};

type Underway = Journey & {
  call: ClientRequest | undefined;
  attempts: number;
  sentAt: number;
  /** The upstream's answer, once the caller has begun to receive it. */
  relayed: IncomingMessage | undefined;
};

// The connection was never made. Anything later is the upstream's failure to answer.
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);
/** Where a request carries its journey: a weak map would keep each until a full collection of garbage. */
const JOURNEY = Symbol('journey');
type Carrier = IncomingMessage & { [JOURNEY]?: Underway };

const CREDENTIAL_REFUSED = new Set([401, 403, 407]);

/**
 * Makes the function that sends journeys through http-proxy-middleware. One middleware serves all routes: each
 * instance would hang a listener of its own on the server. Its default plugins are ejected, for they append an
 * error text to answers that broke half-way; the answer is relayed here, so that only chosen headers return.
 */
export function createProxy(clock: Clock): (journey: Journey) => void {
  const relayPlugin: Plugin = (server) => {
    server.on('proxyReq', (call, req) => withJourney(req, (journey) => depart(journey, call)));
    server.on('proxyRes', (answer, req) => withJourney(req, (journey) => arrive(journey, answer)));
    server.on(
      'error',
      (error, req) => req !== undefined && withJourney(req, (journey) => lose(journey, error)),
    );
  };
  const proxy = createProxyMiddleware({
    router(req, _res, options) {
      const journey = (req as Carrier)[JOURNEY];
      if (journey === undefined) throw new Error('a request without a journey');
      req.url = journey.path;
      // These are this request's own copy of the options, which is where httpxy looks for both.
      options.agent = journey.destination.agent;
      if (journey.body !== undefined) options.buffer = journey.body;
      return journey.destination;
    },
    pathFilter: () => true,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [relayPlugin],
  });

  function withJourney(req: IncomingMessage, act: (journey: Underway) => void) {
    const journey = (req as Carrier)[JOURNEY];
    if (journey !== undefined) act(journey);
  }

  function forward(journey: Journey) {
    const underway = { ...journey, call: undefined, attempts: 0, sentAt: 0, relayed: undefined };
    const { req, signal } = journey;
    // What httpxy sends is what it finds here.
    req.headers = journey.headers;
    (req as Carrier)[JOURNEY] = underway;
    // A closure that the call itself held would keep each request until a full collection of garbage.
    signal.addEventListener('abort', () => stop(underway), { once: true });
    send(underway);
  }

  function send(journey: Underway) {
    journey.attempts += 1;
    journey.sentAt = clock.monotonic();
    // The path was admitted long ago. A filter would parse it as a URL first, unless there is none.
    journey.req.url = '';
    void proxy(journey.req, journey.exchange.res, (thrown) => lose(journey, thrown));
  }

  /** An upstream connection is there. It may have come too late, after a wait for a free one. */
  function depart(journey: Underway, call: ClientRequest) {
    journey.call = call;
    journey.exchange.trace.upstreamCalls += 1;
    // Nobody asked for another protocol. Left alone, Node would drop the connection without telling of an error.
    call.once('upgrade', (_answer, socket) => {
      socket.destroy();
      lose(journey, new Error('the upstream switched protocols'));
    });
    if (journey.signal.aborted) call.destroy();
  }

  function arrive(journey: Underway, answer: IncomingMessage) {
    const { exchange } = journey;
    exchange.trace.upstreamMs += clock.monotonic() - journey.sentAt;
    answer.on('error', () => {
      lose(journey, undefined);
    });
    try {
      if (exchange.res.headersSent || journey.signal.aborted) answer.destroy();
      else relay(journey, answer);
    } catch (thrown) {
      answer.destroy();
      exchange.fail(thrown);
    }
  }

  /** The attempt failed: once more, or an error, or, if half of an answer is out, an end that nobody can overlook. */
  function lose(journey: Underway, cause: unknown) {
    const { exchange, call, relayed } = journey;
    // The upstream closed an idle connection just when we took it up again: the usual race, and no sign of illness.
    const unlucky = journey.repeatable && journey.attempts === 1 && call?.reusedSocket === true;
    if (relayed?.complete === false) cut(exchange.res);
    else if (exchange.res.headersSent || journey.signal.aborted) return;
    else if (unlucky) send(journey);
    else exchange.fail(translate(cause));
  }

  return forward;
}

/** Passes an answer on. It throws where there is nothing that may be passed on. */
function relay(journey: Underway, answer: IncomingMessage): void {
  const { res } = journey.exchange;
  const status = answer.statusCode ?? 0;
  // The caller's credential never gets here, so this is about the gateway's, or about its lack of one.
  if (CREDENTIAL_REFUSED.has(status)) {
    throw fault('upstream_error', { detail: `the upstream refused the gateway's credential with ${status}` });
  }
  if (!isPlainlyFramed(answer)) throw fault('upstream_error', { detail: 'transfer coding' });
  // What came after it would be read as the answer to another request.
  if (mayBeFollowed(answer) && journey.call !== undefined) journey.call.shouldKeepAlive = false;
  partIfUnread(journey.req, res);
  try {
    res.writeHead(status, answerHeaders(journey, answer));
  } catch (cause) {
    throw fault('upstream_error', { detail: 'the head of the answer is not valid', cause });
  }
  journey.relayed = answer;
  pump(answer, res, Number(answer.headers['content-length']));
}

/**
 * Passes a body on. What `pipe` does beside, a dozen listeners to and fro, took 10 of the 100 µs of a bare proxy; and
 * where the length is known, the last bytes are an end already, which leaves in one piece with them.
 */
function pump(answer: IncomingMessage, res: ServerResponse, bytes: number): void {
  let left = bytes;
  answer.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (res.destroyed) answer.destroy();
    else if (left === 0) res.end(chunk);
    else if (!res.write(chunk)) {
      answer.pause();
      res.once('drain', () => answer.resume());
    }
  });
  answer.on('end', () => res.end());
}

function answerHeaders({ exchange, passage, privately }: Journey, answer: IncomingMessage): string[] {
  const headers = returnedHeaders(answer, passage);
  headers.push(
    'X-Request-Id',
    exchange.requestId,
    'X-Content-Type-Options',
    'nosniff',
    ...exchange.answerHeaders,
  );
  if (privately && answer.headers['cache-control'] === undefined) headers.push('Cache-Control', 'private');
  return headers;
}

/** Ends the upstream call, and an answer that is under way. */
function stop({ req, exchange, call, relayed }: Underway) {
  call?.destroy();
  // What is left of the request body is for nobody; unread, it would block the connection for ever.
  req.unpipe();
  req.resume();
  if (relayed !== undefined) cut(exchange.res);
}

/** Breaks the client's connection by a reset: a plain close would look like the end of the body to HTTP/1.0. */
function cut(res: ServerResponse) {
  if (res.writableFinished) return;
  if (res.socket === null) res.destroy();
  else res.socket.resetAndDestroy();
}

function translate(cause: unknown): GatewayError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  return fault(UNREACHABLE.has(code) ? 'upstream_unavailable' : 'upstream_error', { cause });
}
