import type { GatewayConfig } from '../config/schema/gateway.ts';
import { errorBody, publicStatus, type ServerStatus } from '../errors/body.ts';
import { fault, type GatewayError, toGatewayError } from '../errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Reply } from '../policy/call.ts';
import { encodedEtag, type EncodedBodies } from '../store/cache/content-encodings.ts';
import { type AcceptedCodings, createAcceptedCodings, NO_CODINGS } from './accepted-codings.ts';
import type { Cors } from './listener/cors.ts';
import { allowOf, type Endpoint } from './listener/endpoint.ts';
import type { RequestContext } from './listener/request-context.ts';
import { matchesEtag } from './matches-etag.ts';
import { closeIfBodyUnread } from './listener/unread-body.ts';

/** A public document that is the same for everyone, such as the OpenAPI description. */
export type PublicDocument = {
  readonly body: Buffer;
  readonly etag: string;
  /** What there is of it in codings; absent: it is served as it is. */
  readonly encodings?: EncodedBodies | undefined;
};

/** Every way in which the gateway itself answers. None of them throws, and a second answer is no answer. */
export type Responder = {
  /** 200 with a v1 body, or 304. */
  sendReply(context: RequestContext, reply: Reply): void;
  /** 200 with a public document, or 304. */
  sendDocument(context: RequestContext, document: PublicDocument): void;
  /** 204 with `Allow`, and what a preflight asks for. */
  sendOptions(context: RequestContext, endpoint: Endpoint): void;
  /** The contract's error; anything thrown that is not a `GatewayError` becomes `server_error`. */
  sendError(context: RequestContext, thrown: unknown): void;
};

const JSON_TYPE = 'application/json; charset=utf-8';
const CREDENTIAL_HEADERS = 'Authorization, X-API-Key';

/** What a JSON API tells browsers: show nothing, run nothing, guess nothing, tell nobody. */
export const securityHeaders: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];

// RFC 9211. A stale body is one that the cache had and would not have served by its own rules.
const CACHE_STATUS = { hit: 'portico; hit', miss: 'portico; fwd=miss', stale: 'portico; fwd=stale' } as const;

/** What the answers of a listener depend on. */
type ResponderDeps = {
  readonly clock: Clock;
  readonly serverStatus: ServerStatus;
  readonly cors: Cors;
  readonly compression?: GatewayConfig['cache']['compression'] | undefined;
};

/**
 * Up to here a body is written as a text of one character per byte: Node makes one text of head and body, and one
 * write of that, where it would make several of a buffer. Beyond, copying costs more than that saves.
 */
const ONE_TEXT_BYTES_MAX = 16 * 1024;

/** Makes the answers of a public listener. `clock` tells the age of bodies. */
export function createResponder(deps: ResponderDeps): Responder {
  const { clock, serverStatus, cors, compression } = deps;
  const vary = CREDENTIAL_HEADERS + cors.vary;
  const isCoded = compression === 'auto';
  const replyVary = CREDENTIAL_HEADERS + (isCoded ? ', Accept-Encoding' : '') + cors.vary;
  const documentVary = ((isCoded ? ', Accept-Encoding' : '') + cors.vary).slice(2);
  const acceptedCodings = createAcceptedCodings();
  const acceptedOf = ({ head }: RequestContext) =>
    isCoded ? acceptedCodings(head.acceptEncoding) : NO_CODINGS;

  function reply(context: RequestContext, answer: Reply) {
    if (isOver(context)) return;
    const { storedAt, freshSeconds, cache } = answer;
    const ageSeconds = Math.max(0, Math.floor((clock.now() - storedAt) / 1_000));
    const headers = baseHeaders(context, replyVary, `private, max-age=${freshSeconds}`);
    headers.push('Age', String(ageSeconds), 'Cache-Status', CACHE_STATUS[cache]);
    sendReply(context, headers, answer, acceptedOf(context));
  }

  /** The body in the coding that the caller takes best, where it is made already; else it is made for later ones. */
  function sendReply(
    context: RequestContext,
    headers: string[],
    answer: PublicDocument,
    accepted: AcceptedCodings,
  ) {
    const { best } = accepted;
    const made = best && answer.encodings?.get(best);
    const held = heldTag(context.head.ifNoneMatch, made?.etag, answer.etag, accepted);
    if (held !== undefined) {
      sendHeld(context, headers, held);
    } else if (made !== undefined) {
      headers.push('Content-Encoding', best ?? '');
      sendBody(context, headers, made);
    } else {
      sendBody(context, headers, answer);
      if (best !== undefined) answer.encodings?.make(best);
    }
  }

  function document(context: RequestContext, served: PublicDocument) {
    if (isOver(context)) return;
    // `no-cache` asks for revalidation, not for no cache: a 304 costs nothing, a stale contract may.
    const headers = baseHeaders(context, documentVary, 'public, no-cache');
    sendReply(context, headers, served, acceptedOf(context));
  }

  function sendHeld(context: RequestContext, headers: string[], etag: string) {
    headers.push('ETag', etag);
    send(context, 304, headers, undefined);
  }

  function sendBody(context: RequestContext, headers: string[], { body, etag }: PublicDocument) {
    headers.push('ETag', etag, 'Content-Type', JSON_TYPE, 'Content-Length', String(body.length));
    send(context, 200, headers, body);
  }

  function options(context: RequestContext, endpoint: Endpoint) {
    if (isOver(context)) return;
    const headers = baseHeaders(context, vary, 'no-store');
    headers.push('Allow', allowOf(endpoint));
    cors.appendPreflight(headers, context.head.origin, endpoint.methods);
    send(context, 204, headers, undefined);
  }

  function error(context: RequestContext, thrown: unknown) {
    if (isOver(context)) return;
    const told = toGatewayError(thrown);
    context.error = told;
    const headers = baseHeaders(context, vary, 'no-store');
    for (const name in told.headers) headers.push(name, told.headers[name] ?? '');
    if (told.retryAfterSeconds !== undefined) headers.push('Retry-After', String(told.retryAfterSeconds));
    sendError(context, told, headers);
    context.work?.abort(told);
  }

  function sendError(context: RequestContext, told: GatewayError, headers: string[]) {
    const body = Buffer.from(errorBody(told, context.requestId));
    headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(body.length));
    send(context, publicStatus(told, serverStatus), headers, body);
  }

  function baseHeaders(context: RequestContext, varies: string, cacheControl: string): string[] {
    const headers = ['X-Request-Id', context.requestId, 'Cache-Control', cacheControl, ...securityHeaders];
    if (varies !== '') headers.push('Vary', varies);
    headers.push(...context.answerHeaders);
    cors.append(headers, context.head.origin);
    return headers;
  }

  /** One `writeHead` with a flat list and one `end`: half the price of `setHeader` for each. */
  function send(context: RequestContext, status: number, headers: string[], body: Buffer | undefined) {
    const { req, res } = context;
    context.counted?.leave(context);
    closeIfBodyUnread(req, res);
    try {
      res.writeHead(status, headers);
      if (body === undefined || req.method === 'HEAD') res.end();
      else if (body.length > ONE_TEXT_BYTES_MAX) res.end(body);
      else res.end(body.toString('latin1'), 'latin1');
    } catch (cause) {
      sendPlainError(context, fault('server_error', { detail: 'an answer header is not valid', cause }));
    }
  }

  /** The answer where a header held a character that HTTP forbids: its own headers are constants. */
  function sendPlainError(context: RequestContext, told: GatewayError) {
    context.error = told;
    const body = Buffer.from(errorBody(told, context.requestId));
    const headers = ['X-Request-Id', context.requestId, 'Cache-Control', 'no-store', ...securityHeaders];
    headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(body.length));
    context.res.writeHead(told.status, headers);
    context.res.end(context.req.method === 'HEAD' ? undefined : body);
  }

  return { sendReply: reply, sendDocument: document, sendOptions: options, sendError: error };
}

/** Whether the context has an answer already, or nobody who would read it. */
function isOver({ res }: RequestContext): boolean {
  return res.headersSent || res.destroyed;
}

/**
 * The tag of the answer that the caller holds and may go on with: what it would get now, or else the body as it is
 * or in any coding that it takes. A 304 with another tag than the held one would freshen nothing (RFC 9111, 4.3.4).
 */
function heldTag(
  ifNoneMatch: readonly string[],
  madeTag: string | undefined,
  etag: string,
  { all }: AcceptedCodings,
): string | undefined {
  if (ifNoneMatch.length === 0) return undefined;
  const tags = [madeTag ?? etag, etag, ...all.map((coding) => encodedEtag(etag, coding))];
  return tags.find((tag) => matchesEtag(ifNoneMatch, tag));
}
