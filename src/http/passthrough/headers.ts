// Builds the headers of a request to an upstream, and of its response to the caller.

import type { IncomingMessage } from 'node:http';
import {
  compileSelectHeaders,
  type SelectHeaders,
  joinLines,
  type RequestHead,
} from '../listener/request-head.ts';
import { isUnder } from '../listener/routes.ts';
import { type PathMap, publicPath } from './path.ts';

const NONE: ReadonlySet<string> = new Set();
/** The usual values of `Connection`. They name no header. */
const USUAL_CONNECTION = new Set(['keep-alive', 'Keep-Alive', 'close', '']);

/** The headers that `Connection` names. They are only for this connection (RFC 9110, section 7.6.1). */
function connectionOptions(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || USUAL_CONNECTION.has(connection)) return NONE;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** Header lines by lower-case name. */
export type HeaderLines = Record<string, string | string[]>;

/** The headers of a caller that are forwarded, under the names that `forwardRule` returns. */
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
    // `hasOwn` is needed, because a header may be called `constructor`.
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** The headers of a response that the gateway itself reads. */
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

/** Every value of each of these headers, as received. The values must not be trusted. */
export type AnswerHead = SelectHeaders<typeof ANSWER_FIELDS>;

/** Reads these headers of a response from its raw header lines. */
export const readAnswerHead = compileSelectHeaders(ANSWER_FIELDS);

/** What is needed to rewrite `Location` and `Content-Location` of an upstream. */
export type AddressRewrite = {
  readonly map: PathMap;
  readonly upstreamUrl: URL;
  /** The path and query of the request to the upstream. */
  readonly path: string;
  /** The host under which the caller knows the gateway. */
  readonly host: string | undefined;
  /** The path below which a host has mounted the gateway; empty: none. */
  readonly mountPath: string;
};

/** The rules of a route for the headers of responses. */
export type ReturnRules = {
  /** Returns the lower-case name of a header, or `undefined` if it is dropped. */
  readonly nameOf: (line: string) => string | undefined;
  /** Returns the `Cache-Control` for the caller, from the one that the upstream has sent. */
  readonly cacheControl: (sent: string | undefined) => string | undefined;
  /** The value that is added to the upstream's `Vary`. */
  readonly vary: string;
};

/** The headers of the upstream's response for the caller, as names and values in turn. */
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
    // A 204 has no body, so a client that believes the length would wait for one (RFC 9110, section 8.6).
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

/** Adds a header with a rewritten address, unless the upstream's header is repeated or its address must not be shown. */
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
 * Rewrites an address so that the caller can follow it: an address of the upstream becomes the gateway's path. `undefined`
 * for other addresses, because they name internal hosts, or lead the caller to another site in the gateway's name.
 */
function publicAddress(
  value: string,
  { map, upstreamUrl, path, host, mountPath }: AddressRewrite,
): string | undefined {
  const address = URL.parse(value, new URL(path, upstreamUrl).href);
  if (address === null || (address.protocol !== 'http:' && address.protocol !== 'https:')) return undefined;
  const tail = address.search + address.hash;
  if (address.origin === upstreamUrl.origin) {
    const path = publicPath(map, address.pathname);
    return path === undefined ? undefined : mountPath + path + tail;
  }
  // An upstream that uses X-Forwarded-Host already writes the gateway's own address.
  if (address.host !== host) return undefined;
  if (isUnder(map.path, address.pathname)) return mountPath + address.pathname + tail;
  return isUnder(mountPath + map.path, address.pathname) ? address.pathname + tail : undefined;
}
