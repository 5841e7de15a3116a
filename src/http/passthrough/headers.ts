import type { IncomingMessage } from 'node:http';
import { compileSelectHeaders, type SelectHeaders, joinLines } from '../listener/select-headers.ts';
import type { RequestHead } from '../listener/request-head.ts';
import { isUnder } from '../listener/routes.ts';
import { type PathMap, publicPath } from './path.ts';

const NONE: ReadonlySet<string> = new Set();
/** The usual values of `Connection`; they nominate no header. */
const USUAL_CONNECTION = new Set(['keep-alive', 'Keep-Alive', 'close', '']);

/** The header names that `Connection` lists as belonging to this hop (RFC 9110, section 7.6.1). */
function connectionOptions(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || USUAL_CONNECTION.has(connection)) return NONE;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** Header lines by lower-case name. */
export type HeaderLines = Record<string, string | string[]>;

/** The caller's header lines that are forwarded, under the names that `forwardRule` gives them. */
export function forwardedHeaders(
  { rawHeaders }: IncomingMessage,
  { connection }: RequestHead,
  forwardRule: (line: string) => string | undefined,
): HeaderLines {
  const dropped = connectionOptions(joinLines(connection));
  const headers: HeaderLines = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = forwardRule(rawHeaders[i] ?? '');
    if (name === undefined || dropped.has(name)) continue;
    const value = rawHeaders[i + 1] ?? '';
    // `hasOwn`, because a header may be called `constructor`.
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** The headers of an answer that the gateway reads itself. */
const ANSWER_FIELDS = {
  connection: 'connection',
  'keep-alive': 'keepAlive',
  vary: 'vary',
  location: 'location',
  'content-location': 'contentLocation',
  'cache-control': 'cacheControl',
  'transfer-encoding': 'transferEncoding',
  'content-length': 'contentLength',
} as const;

/** Every value of each of those headers, as received: hostile bytes. */
export type AnswerHead = SelectHeaders<typeof ANSWER_FIELDS>;

/** Reads the head of an answer. */
export const readAnswerHead = compileSelectHeaders(ANSWER_FIELDS);

/** What is needed to rewrite the addresses in an upstream's response. */
export type AddressRewrite = {
  readonly map: PathMap;
  readonly upstreamUrl: URL;
  /** Path and query of the request at the upstream. */
  readonly path: string;
  /** The host under which the caller knows the gateway. */
  readonly host: string | undefined;
};

/** How a route returns headers. */
export type ReturnRules = {
  /** From the upstream's spelling of a name to the lower-case name that is returned, or `undefined`. */
  readonly nameOf: (line: string) => string | undefined;
  /** The `Cache-Control` that is returned for the one that the upstream has sent. */
  readonly cacheControl: (sent: string | undefined) => string | undefined;
  /** The value of `Vary`, beside what the upstream says. */
  readonly vary: string;
};

/** The upstream's header lines that are returned to the caller: names and values in turn. */
export function returnedHeaders(
  { rawHeaders, statusCode }: IncomingMessage,
  head: AnswerHead,
  { nameOf, cacheControl, vary: ownVary }: ReturnRules,
  rewrite: AddressRewrite,
): string[] {
  const dropped = connectionOptions(joinLines(head.connection));
  const lines: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const line = rawHeaders[i] ?? '';
    const name = nameOf(line);
    if (name === undefined || dropped.has(name)) continue;
    // RFC 9110, section 8.6: a client that believed it would wait for a body.
    if (statusCode === 204 && name === 'content-length') continue;
    lines.push(line, rawHeaders[i + 1] ?? '');
  }
  pushAddress(lines, 'Location', head.location, rewrite);
  pushAddress(lines, 'Content-Location', head.contentLocation, rewrite);
  const caching = cacheControl(joinLines(head.cacheControl));
  if (caching !== undefined) lines.push('Cache-Control', caching);
  lines.push('Vary', [...head.vary, ownVary].join(', '));
  return lines;
}

/** Adds the address in a header of the upstream, unless the header is repeated. */
function pushAddress(
  lines: string[],
  name: string,
  [value, ...others]: readonly string[],
  rewrite: AddressRewrite,
): void {
  const address = value === undefined || others.length > 0 ? undefined : publicAddress(value, rewrite);
  if (address !== undefined) lines.push(name, address);
}

/**
 * A `Location` that the caller can follow: an address of the upstream becomes the gateway's path for it. Other
 * addresses are left out: they name internal hosts, or lead the caller elsewhere in the gateway's name.
 */
function publicAddress(value: string, { map, upstreamUrl, path, host }: AddressRewrite): string | undefined {
  const address = URL.parse(value, new URL(path, upstreamUrl).href);
  if (address === null || (address.protocol !== 'http:' && address.protocol !== 'https:')) return undefined;
  const tail = address.search + address.hash;
  if (address.origin === upstreamUrl.origin) {
    const path = publicPath(map, address.pathname);
    return path === undefined ? undefined : path + tail;
  }
  // An upstream that respects X-Forwarded-Host uses the gateway's own address already.
  return address.host === host && isUnder(map.path, address.pathname) ? address.pathname + tail : undefined;
}
