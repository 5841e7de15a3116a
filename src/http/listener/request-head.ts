// Reads and checks the head of a request: the headers that the gateway uses, and the request target.

import type { IncomingMessage } from 'node:http';

// Reads some headers of a message from its raw lines, with all their values and in one pass.

/** By lower-case name: the headers that are read, with their names in the result. */
type Fields = Readonly<Record<string, string>>;

/** Every value of each of these headers, as received; an empty list for an absent header. */
export type SelectHeaders<F extends Fields> = Record<F[keyof F], readonly string[]>;

const NONE: readonly string[] = Object.freeze([]);

/** Joins the lines of a header to one list (RFC 9110, section 5.3); `undefined` if the header is absent. */
export function joinLines(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ');
}

/**
 * Compiles the function that reads headers. Node's `headers` are not used, because they cost more and hide repeated lines:
 * Node joins their values, and of some headers, such as `Authorization` and `Location`, it keeps only the first.
 */
export function compileSelectHeaders<const F extends Fields>(
  fields: F,
): (rawHeaders: readonly string[]) => SelectHeaders<F> {
  type Field = F[keyof F];
  const fieldOf = new Map(Object.entries(fields) as [string, Field][]);
  const lengths = new Set(Object.keys(fields).map((name) => name.length));
  const emptyHead = Object.fromEntries(
    Object.values(fields).map((field) => [field, NONE]),
  ) as SelectHeaders<F>;

  return function readHead(rawHeaders) {
    const head = { ...emptyHead };
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      // The length excludes most names before they are converted to lower case.
      const field = lengths.has(name.length) ? fieldOf.get(name.toLowerCase()) : undefined;
      if (field === undefined) continue;
      const value = rawHeaders[i + 1] ?? '';
      head[field] = head[field] === NONE ? [value] : [...head[field], value];
    }
    return head;
  };
}

/** The headers that the gateway itself reads, by lower-case name, with their names in `RequestHead`. */
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

/** Every value of each of these headers, as received. The values must not be trusted. */
export type RequestHead = SelectHeaders<typeof FIELDS>;

/** Reads the head of a request from its raw header lines. */
export const readHead = compileSelectHeaders(FIELDS);

/** The most header lines of a request. A request with more is refused, because Node would silently drop lines. */
export const HEADER_LINES_MAX = 100;

/** The longest request target, in bytes. */
const TARGET_BYTES_MAX = 8 * 1024;

const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;
// A target has no fragment and only visible ASCII characters (RFC 9112, section 3.2).
const NOT_IN_TARGETS = /[^\x21\x22\x24-\x7e]/;

/** Whether a text is a valid value of `Host` (RFC 9110, section 7.2). */
export function isHost(value: string): boolean {
  return HOST.test(value);
}

/** Why a request must be refused as `bad_request`, as a text for the log; `undefined` if it is valid. */
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

/** The parts of a request target, still percent-encoded. */
export type RequestTarget = {
  readonly path: string;
  /** The query without the question mark. */
  readonly query: string;
};

const ABSOLUTE_FORM = /^https?:\/\/([^/?]+)/i;

/** Splits a request target in origin form or absolute form (RFC 9112, section 3.2); `undefined` for other forms. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const local = target.startsWith('/') ? target : localPart(target);
  if (local === undefined) return undefined;
  const question = local.indexOf('?');
  if (question === -1) return { path: local === '' ? '/' : local, query: '' };
  return { path: question === 0 ? '/' : local.slice(0, question), query: local.slice(question + 1) };
}

/**
 * Replaces a target that is not in origin form by `/`, because Express would parse it with the deprecated and lenient
 * `url.parse`. For a target in absolute form, its host replaces the `Host` header (RFC 9112, section 3.2.2).
 */
export function normaliseTarget(req: Pick<IncomingMessage, 'url' | 'headers'>, target: string): void {
  req.url = '/';
  const authority = ABSOLUTE_FORM.exec(target)?.[1];
  if (authority !== undefined) req.headers.host = authority;
}

/** The path and query of a target in absolute form; `undefined` if it has another form. */
function localPart(target: string): string | undefined {
  const [prefix = '', authority = ''] = ABSOLUTE_FORM.exec(target) ?? [];
  return authority !== '' && isHost(authority) ? target.slice(prefix.length) : undefined;
}
