import type { IncomingMessage } from 'node:http';
import { compileSelectHeaders, type SelectHeaders } from './select-headers.ts';

/** The headers that the gateway reads itself, by lower-case name, and what they are called in `RequestHead`. */
const FIELDS = {
  host: 'host',
  expect: 'expect',
  origin: 'origin',
  'x-api-key': 'apiKey',
  authorization: 'authorization',
  'if-none-match': 'ifNoneMatch',
  'accept-encoding': 'acceptEncoding',
  'x-request-id': 'requestId',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  connection: 'connection',
  'transfer-encoding': 'transferEncoding',
  'content-length': 'contentLength',
} as const;

/** Every value of each of those headers, as received: hostile bytes. */
export type RequestHead = SelectHeaders<typeof FIELDS>;

/** Reads the head of a request. */
export const readHead = compileSelectHeaders(FIELDS);

/** The most header lines of a request; Node itself drops the lines beyond its bound silently. */
export const HEADER_LINES_MAX = 100;

/** The longest request target, in bytes. */
const TARGET_BYTES_MAX = 8 * 1024;

const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;
// RFC 9112, section 3.2: a target has neither a fragment nor anything outside of visible ASCII.
const NOT_IN_TARGETS = /[^\x21\x22\x24-\x7e]/;

/** Whether a value may stand in a `Host` header (RFC 9110, section 7.2). */
export function isHost(value: string): boolean {
  return HOST.test(value);
}

/** Why a request that Node has parsed is refused as `bad_request`, for the log; `undefined` for a good one. */
export function findProblem(req: IncomingMessage, head: RequestHead, target: string): string | undefined {
  if (req.httpVersionMajor !== 1) return 'HTTP version';
  if (req.rawHeaders.length > 2 * HEADER_LINES_MAX) return 'too many header lines';
  if (target.length > TARGET_BYTES_MAX) return 'request target too long';
  if (NOT_IN_TARGETS.test(target)) return 'character in the request target';
  if (head.expect.length > 0 && head.expect.join().toLowerCase() !== '100-continue')
    return 'unknown expectation';
  if (head.host.length > 1) return 'more than one Host';
  if (head.host.length === 0) return req.httpVersionMinor === 0 ? undefined : 'no Host';
  if (!isHost(head.host[0] ?? '')) return 'malformed Host';
  return undefined;
}

/** A request target in its parts, still percent-encoded. */
export type RequestTarget = {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
};

const ABSOLUTE_FORM = /^https?:\/\/([^/?]+)/i;

/** The parts of a request target in origin form or absolute form (RFC 9112, section 3.2); `undefined` for others. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const local = target.startsWith('/') ? target : localPart(target);
  if (local === undefined) return undefined;
  const question = local.indexOf('?');
  if (question === -1) return { path: local === '' ? '/' : local, query: '' };
  return { path: question === 0 ? '/' : local.slice(0, question), query: local.slice(question + 1) };
}

/**
 * Hides a target in another form than origin form from Express, which would parse it with the deprecated and lenient
 * `url.parse`. The authority of one in absolute form is the host that was asked for, whatever `Host` says (RFC 9112,
 * section 3.2.2).
 */
export function normaliseTarget(req: IncomingMessage, target: string): void {
  req.url = '/';
  const authority = ABSOLUTE_FORM.exec(target)?.[1];
  if (authority !== undefined) req.headers.host = authority;
}

/** What follows the authority of a target in absolute form. */
function localPart(target: string): string | undefined {
  const [prefix = '', authority = ''] = ABSOLUTE_FORM.exec(target) ?? [];
  return authority !== '' && isHost(authority) ? target.slice(prefix.length) : undefined;
}
