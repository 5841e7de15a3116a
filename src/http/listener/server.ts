import { createServer as createHttpServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { errorBody } from '../../errors/body.ts';
import { fault, type GatewayError } from '../../errors/fault.ts';
import { newRequestId } from './request-id.ts';
import { securityHeaders } from '../responder.ts';
import type { App } from './app.ts';
import { latestContext } from './request-context.ts';
import { HEADER_LINES_MAX } from './request-head.ts';
import { closeLingering } from './unread-body.ts';

/** What a public server is bounded by. */
export type ServerLimits = {
  readonly connectionsMax: number;
  /** The longest deadline of any endpoint; a connection may be silent for that long. */
  readonly deadlineMsMax: number;
};

/** Told of a request that was refused before it became one, with its public status. */
export type OnRefused = (status: number) => void;

const HEADERS_TIMEOUT_MS = 4_000;
const REQUEST_TIMEOUT_MS_MIN = 30_000;
// Longer than the idle timeout of common load balancers (60 s), so that they close first and never write into a close.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CONNECTIONS_CHECK_MS = 500;
const HEADER_BYTES_MAX = 16 * 1024;
const ALLOWED = 'GET, HEAD, OPTIONS';

/** Makes the hardened server of the public listener: whatever the bytes, what leaves it is the contract's JSON. */
export function createServer(
  { listener, refuseMethod, messageClasses }: Pick<App, 'listener' | 'refuseMethod' | 'messageClasses'>,
  limits: ServerLimits,
  { log, onRefused }: { log: Logger; onRefused: OnRefused },
): Server {
  const server = createHttpServer(
    {
      ...messageClasses,
      // Node would answer a missing Host itself, without a body; the listener does it better.
      requireHostHeader: false,
      insecureHTTPParser: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: Math.max(REQUEST_TIMEOUT_MS_MIN, limits.deadlineMsMax),
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    },
    listener,
  );
  // Node drops the lines beyond its bound silently; one more than allowed lets the listener see that there are more.
  server.maxHeadersCount = HEADER_LINES_MAX + 1;
  server.maxConnections = limits.connectionsMax;
  // Else a worker would hand a connection that is too many back, and it would go round the full workers without end.
  Object.assign(server, { dropMaxConnection: true });
  // Ends connections whose client reads nothing for longer than any endpoint may take.
  server.timeout = limits.deadlineMsMax + REQUEST_TIMEOUT_MS_MIN;
  // Node would answer 417 itself, without a body.
  server.on('checkExpectation', listener);
  server.on('connect', (_req, socket) =>
    refuse(socket, fault('method_not_allowed', { headers: { Allow: ALLOWED } })),
  );
  server.on('clientError', onClientError);

  /** Connections whose end is decided; whatever else arrives there is not listened to. */
  const ending = new WeakSet<Duplex>();

  /** Answers what the parser could not make a request of, where the answer cannot be taken for another's. */
  function onClientError(error: ParserError, socket: Duplex) {
    if (ending.has(socket)) return;
    ending.add(socket);
    // A connection that never said anything gets no answer: it asked nothing.
    const silent = socket instanceof Socket && socket.bytesRead === 0;
    const context = latestContext(socket);
    const target = unknownMethodTarget(error);
    const unreadable =
      target === undefined
        ? fault('bad_request', { detail: error.code ?? 'unreadable request' })
        : refuseMethod(target);
    if (error.code === 'ECONNRESET' || !socket.writable || silent) {
      socket.destroy();
    } else if (context === undefined) {
      refuse(socket, unreadable);
    } else {
      // The rest of a request is unreadable whose head was fine: its own answer tells so, if none is out yet.
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
    onRefused(error.status);
    closeLingering(socket, rawAnswer(error, requestId));
  }

  return server;
}

/** What Node tells of a request that its parser could not read. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} ([\x21\x22\x24-\x7e]{1,8192}) HTTP\/1\.[01]\r\n/;

/** The target of a request whose line is sound, but whose method the parser does not know. */
function unknownMethodTarget({ code, rawPacket }: ParserError): string | undefined {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return undefined;
  return REQUEST_LINE.exec(rawPacket.toString('latin1'))?.[1];
}

/** Closes a connection once its latest answer is out. */
function closeAfter(res: ServerResponse, socket: Duplex) {
  res.shouldKeepAlive = false;
  if (res.closed) closeLingering(socket, '');
  else res.once('close', () => closeLingering(socket, ''));
}

/** An error answer as bytes, for connections that have no request to answer. */
function rawAnswer(error: GatewayError, requestId: string): string {
  const body = errorBody(error, requestId);
  const lines = [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`];
  const fields = [
    'X-Request-Id',
    requestId,
    'Cache-Control',
    'no-store',
    'Connection',
    'close',
    ...securityHeaders,
  ];
  fields.push(
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
  );
  for (const [name, value] of Object.entries(error.headers)) fields.push(name, value);
  for (let i = 0; i < fields.length; i += 2) lines.push(`${fields[i] ?? ''}: ${fields[i + 1] ?? ''}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
