// Node's HTTP server with its limits, and the answers to bytes that Node cannot parse as a request.

import { createServer as createHttpServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { fault, type GatewayError } from '../kernel/errors/fault.ts';
import { fixedError } from './listener/responder.ts';
import type { App } from './app.ts';
import type { RequestMetrics } from './listener/open-context.ts';
import { latestContext, newRequestId } from './listener/request-context.ts';
import { HEADER_LINES_MAX } from './listener/request-head.ts';
import { closeLingering } from './listener/unread-body.ts';

/** The limits of a public server. */
export type ServerLimits = {
  readonly connectionsMax: number;
  /** The longest deadline of all endpoints, in milliseconds. A connection may be silent for that long. */
  readonly deadlineMsMax: number;
};

const HEADERS_TIMEOUT_MS = 4_000;
const REQUEST_TIMEOUT_MS_MIN = 30_000;
// Load balancers usually close idle connections after 60 s. They must be first, so that they never send into a closing one.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CONNECTIONS_CHECK_MS = 500;
const HEADER_BYTES_MAX = 16 * 1024;
const ALLOWED = 'GET, HEAD, OPTIONS';

/** Sets the limits of a server. The limit for silent connections applies only to new connections. */
export function setServerLimits(server: Server, { connectionsMax, deadlineMsMax }: ServerLimits): void {
  server.maxConnections = connectionsMax;
  server.requestTimeout = Math.max(REQUEST_TIMEOUT_MS_MIN, deadlineMsMax);
  // This ends connections whose client reads nothing for longer than any endpoint may take.
  server.timeout = deadlineMsMax + REQUEST_TIMEOUT_MS_MIN;
}

/** Makes the server of the public listener. It answers any bytes, even invalid ones, with the JSON of the contract. */
export function createServer(
  { listener, refuseMethod, messageClasses }: Pick<App, 'listener' | 'refuseMethod' | 'messageClasses'>,
  limits: ServerLimits,
  { log, metrics }: { log: Logger; metrics: Pick<RequestMetrics, 'request'> },
): Server {
  const server = createHttpServer(
    {
      ...messageClasses,
      // The listener checks for a missing Host, because Node would answer without a body.
      requireHostHeader: false,
      insecureHTTPParser: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      // Without this, Node makes a stream even for a request without a body: a tenth of its work for a request.
      optimizeEmptyRequests: true,
    },
    listener,
  );
  // Node silently drops lines above this number. With one more than allowed, the listener notices that there are too many.
  server.maxHeadersCount = HEADER_LINES_MAX + 1;
  // Otherwise a full worker would give a new connection back, and full workers would pass it around for ever.
  Object.assign(server, { dropMaxConnection: true });
  setServerLimits(server, limits);
  // Node would send the status 100 before the request is checked. Instead, a route that reads the body sends it.
  server.on('checkContinue', listener);
  // The listener refuses unknown expectations, because Node would answer 417 without a body.
  server.on('checkExpectation', listener);
  server.on('connect', (_req, socket) =>
    refuse(socket, fault('method_not_allowed', { headers: { Allow: ALLOWED } })),
  );
  server.on('clientError', onClientError);

  /** Connections that are being closed. Further errors on them are ignored. */
  const ending = new WeakSet<Duplex>();

  /** Answers bytes that the parser cannot read, unless the client could take the answer for that of another request. */
  function onClientError(error: ParserError, socket: Duplex) {
    if (ending.has(socket)) return;
    ending.add(socket);
    // A client that never sent anything gets no answer.
    const isSilent = socket instanceof Socket && socket.bytesRead === 0;
    const context = latestContext(socket);
    const target = unknownMethodTarget(error);
    const unreadable =
      target === undefined
        ? fault('bad_request', { detail: error.code ?? 'unreadable request' })
        : refuseMethod(target);
    if (error.code === 'ECONNRESET' || !socket.writable || isSilent) {
      socket.destroy();
    } else if (context === undefined) {
      refuse(socket, unreadable);
    } else {
      // The head of a request was valid but its body is not, so the request itself is answered, if that is still possible.
      if (!context.req.complete) context.fail(unreadable);
      closeAfter(context.res, socket);
    }
  }

  function refuse(socket: Duplex, error: GatewayError) {
    const requestId = newRequestId();
    log.info(
      { requestId, operation: 'none', status: error.status, code: error.code, detail: error.detail },
      'request',
    );
    metrics.request('none', error.status, 'none', 0);
    closeLingering(socket, rawResponse(error, requestId));
  }

  return server;
}

/** The error of Node's parser. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} ([\x21\x22\x24-\x7e]{1,8192}) HTTP\/1\.[01]\r\n/;

/** The target of a request with a valid request line but an unknown method; `undefined` for other parser errors. */
function unknownMethodTarget({ code, rawPacket }: ParserError): string | undefined {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return undefined;
  return REQUEST_LINE.exec(rawPacket.toString('latin1'))?.[1];
}

/** Closes a connection after its latest response was sent. */
function closeAfter(res: ServerResponse, socket: Duplex) {
  res.shouldKeepAlive = false;
  if (res.closed) closeLingering(socket, '');
  else res.once('close', () => closeLingering(socket, ''));
}

/** Writes an error as a whole HTTP response, for a connection without a parsed request. */
function rawResponse(error: GatewayError, requestId: string): string {
  const { headers, body } = fixedError(error, requestId);
  headers.push('Connection', 'close', ...Object.entries(error.headers).flat());
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? `${name}: ${headers[i + 1] ?? ''}` : []));
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`, ...lines, '', body].join('\r\n');
}
