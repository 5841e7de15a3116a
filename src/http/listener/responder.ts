// Sends the responses that the gateway makes itself: answers, documents, files of the API page, and errors.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import {
  errorBody,
  fault,
  type GatewayError,
  publicStatus,
  type ServerStatus,
  toGatewayError,
} from '../../kernel/errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { CallAnswer } from '../../pipeline/stages/call.ts';
import { createAcceptedCodings, NO_CODINGS, type Representable, representationOf } from './representation.ts';
import type { Cors } from './cors.ts';
import type { RequestContext } from './request-context.ts';
import { closeIfBodyUnread } from './unread-body.ts';
import { allowedMethods, type Endpoint } from './routes.ts';
import { writeHead } from './write-head.ts';

/** The responder. Its methods never throw. For each request, only the first response is sent. */
export type Responder = ReturnType<typeof createResponder>;

/** A file for browsers: a page, or a file that a page loads. */
export type WebFile = Representable & {
  /** Its media type. */
  readonly type: string;
  /** Its `Content-Security-Policy`. */
  readonly policy: string;
};

const JSON_TYPE = 'application/json; charset=utf-8';
const CREDENTIAL_HEADERS = 'Authorization, X-API-Key';

/** The security headers of a response. Browsers follow `policy`, guess no media type, and send no referrer. */
function securityHeaders(policy: string): readonly string[] {
  return [
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    policy,
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Resource-Policy',
    'same-origin',
  ];
}

/** The security headers of JSON responses: browsers must not show or run anything. */
const SECURITY_HEADERS = securityHeaders("default-src 'none'; frame-ancestors 'none'");

// RFC 9211. `stale`: the cache had the body, but it was no longer fresh.
const CACHE_STATUS = { hit: 'portico; hit', miss: 'portico; fwd=miss', stale: 'portico; fwd=stale' } as const;

type ResponderDeps = {
  readonly clock: Clock;
  readonly serverStatus: ServerStatus;
  readonly cors: Cors;
  readonly shedder: { release(context: RequestContext): void };
  readonly compression?: GatewayConfig['cache']['compression'] | undefined;
};

/**
 * Up to this size, a body is written as a latin1 string with one character per byte, because then Node sends head and body
 * in one write; a buffer takes several writes. For larger bodies, making the string costs more than it saves.
 */
const STRING_BODY_BYTES_MAX = 16 * 1024;

/** The values of `Vary`: for errors, for answers (`replyVary`), and for documents that are the same for everyone. */
function varyValues(cors: Cors, isCompressed: boolean) {
  const coded = isCompressed ? ', Accept-Encoding' : '';
  return {
    vary: CREDENTIAL_HEADERS + cors.vary,
    replyVary: CREDENTIAL_HEADERS + coded + cors.vary,
    documentVary: (coded + cors.vary).slice(2),
  };
}

/** Makes the responder of the public listener. `clock` is used for the age of bodies. */
export function createResponder(deps: ResponderDeps) {
  const { clock, serverStatus, cors, shedder, compression } = deps;
  const isCompressed = compression === 'auto';
  const { vary, replyVary, documentVary } = varyValues(cors, isCompressed);
  const acceptedCodings = isCompressed ? createAcceptedCodings() : () => NO_CODINGS;

  /** Sends 200 with a v1 body, or 304. */
  function sendAnswer(context: RequestContext, reply: CallAnswer) {
    if (isOver(context)) return;
    const { storedAt, freshSeconds, cache } = reply;
    const ageSeconds = Math.max(0, Math.floor((clock.now() - storedAt) / 1_000));
    const headers = baseHeaders(context, cors, replyVary, `private, max-age=${freshSeconds}`);
    headers.push('Age', String(ageSeconds), 'Cache-Status', CACHE_STATUS[cache]);
    sendBest(context, headers, reply);
  }

  /** Sends 200 with a public document that is the same for everyone, or 304. */
  function sendDocument(context: RequestContext, document: Representable) {
    if (isOver(context)) return;
    // `no-cache` makes clients revalidate each time, so nobody works with an old contract. A 304 costs little.
    sendBest(context, baseHeaders(context, cors, documentVary, 'public, no-cache'), document);
  }

  /** Sends 200 with a file for browsers, or 304. */
  function sendWebFile(context: RequestContext, file: WebFile, cacheControl: string) {
    if (isOver(context)) return;
    const security = securityHeaders(file.policy);
    sendBest(context, baseHeaders(context, cors, documentVary, cacheControl, security), file, file.type);
  }

  function sendBest(context: RequestContext, headers: string[], document: Representable, type = JSON_TYPE) {
    const { ifNoneMatch, acceptEncoding } = context.head;
    const accepted = acceptedCodings(acceptEncoding);
    const sent = representationOf(document, ifNoneMatch, accepted);
    headers.push('ETag', sent.etag);
    if (sent.kind === 'known') {
      send(context, 304, headers);
      return;
    }
    if (sent.kind === 'encoded') headers.push('Content-Encoding', accepted.best ?? '');
    sendBody(context, 200, headers, sent.body, type);
    // The preferred coding was not ready, so it is made now for later requests.
    if (sent.kind === 'plain' && accepted.best !== undefined) document.encodings?.make(accepted.best);
  }

  /** Sends 204 with `Allow` and the headers of a CORS preflight. */
  function sendOptions(context: RequestContext, endpoint: Endpoint) {
    if (isOver(context)) return;
    const headers = baseHeaders(context, cors, vary, 'no-store');
    headers.push('Allow', allowedMethods(endpoint));
    cors.appendPreflight(headers, context.head.origin, endpoint.methods);
    send(context, 204, headers);
  }

  /** Sends an error of the contract. Anything thrown that is no `GatewayError` becomes `server_error`. */
  function sendError(context: RequestContext, thrown: unknown) {
    if (isOver(context)) return;
    const error = toGatewayError(thrown);
    context.res.err = error;
    const headers = baseHeaders(context, cors, vary, 'no-store');
    for (const name in error.headers) headers.push(name, error.headers[name] ?? '');
    if (error.retryAfterSeconds !== undefined) headers.push('Retry-After', String(error.retryAfterSeconds));
    const body = Buffer.from(errorBody(error, context.requestId));
    sendBody(context, publicStatus(error, serverStatus), headers, body, JSON_TYPE);
    context.call?.abort(error);
  }

  function sendBody(context: RequestContext, status: number, headers: string[], body: Buffer, type: string) {
    headers.push('Content-Type', type, 'Content-Length', String(body.length));
    send(context, status, headers, body);
  }

  function send(context: RequestContext, status: number, headers: string[], body?: Buffer) {
    shedder.release(context);
    closeIfBodyUnread(context);
    writeOrFail(context, status, headers, body);
  }

  return { sendAnswer, sendDocument, sendWebFile, sendOptions, sendError };
}

/** The common headers of responses, with those that the pipeline and CORS add. */
function baseHeaders(
  context: RequestContext,
  cors: Cors,
  varies: string,
  cacheControl: string,
  security = SECURITY_HEADERS,
): string[] {
  const headers = ['X-Request-Id', context.requestId, 'Cache-Control', cacheControl, ...security];
  if (varies !== '') headers.push('Vary', varies);
  headers.push(...context.answerHeaders);
  cors.append(headers, context.head.origin);
  return headers;
}

/** Writes a response. @throws TypeError if a header has a character that HTTP forbids */
function write(context: RequestContext, status: number, headers: string[], body?: Buffer | string) {
  const { req, res } = context;
  writeHead(context, status, headers);
  if (body === undefined || req.method === 'HEAD') res.end();
  else if (typeof body === 'string' || body.length > STRING_BODY_BYTES_MAX) res.end(body);
  else res.end(body.toString('latin1'), 'latin1');
}

/** Writes a response, or `server_error` if a header has a character that HTTP forbids. */
function writeOrFail(context: RequestContext, status: number, headers: string[], body?: Buffer) {
  try {
    write(context, status, headers, body);
  } catch (cause) {
    sendFixedError(context, fault('server_error', { detail: 'an answer header is not valid', cause }));
  }
}

/** The headers and the JSON of an error that is sent without the usual headers. */
export function fixedError(error: GatewayError, requestId: string): { headers: string[]; body: string } {
  const body = errorBody(error, requestId);
  const headers = ['X-Request-Id', requestId, 'Cache-Control', 'no-store', ...SECURITY_HEADERS];
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(body)));
  return { headers, body };
}

/** Sends an error with fixed headers only, because one of the usual headers had a forbidden character. */
function sendFixedError(context: RequestContext, error: GatewayError) {
  context.res.err = error;
  const { headers, body } = fixedError(error, context.requestId);
  write(context, error.status, headers, body);
}

/** Whether a response was sent already, or the client has gone. */
function isOver({ res }: RequestContext): boolean {
  return res.headersSent || res.destroyed;
}
