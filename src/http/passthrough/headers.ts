import type { IncomingMessage } from 'node:http';
import { returnedHeaderName } from './header-rules.ts';
import { isUnder, type PathMap, publicPath } from './path.ts';

const NONE: ReadonlySet<string> = new Set();
/** What connections are for the most part said to be; both are names of ours already. */
const ORDINARY = new Set(['keep-alive', 'Keep-Alive', 'close', '']);

/** The names that a `Connection` header nominates as belonging to this hop. */
function nominated(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || ORDINARY.has(connection)) return NONE;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** Header lines by lower-case name. */
export type HeaderLines = Record<string, string | string[]>;

/** The caller's header lines that may travel on, under the names that `nameOf` gives them. */
export function forwardedHeaders(
  { rawHeaders, headers: { connection } }: IncomingMessage,
  nameOf: (line: string) => string | undefined,
): HeaderLines {
  const dropped = nominated(connection);
  const headers: HeaderLines = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = nameOf(rawHeaders[i] ?? '');
    if (name === undefined || dropped.has(name)) continue;
    const value = rawHeaders[i + 1] ?? '';
    // Its own, because `constructor` is a name like any other.
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** Where an upstream's answer came from and where it goes, as far as addresses in it must be rewritten. */
export type AddressRewrite = {
  readonly map: PathMap;
  readonly upstreamUrl: URL;
  /** Path and query of the request at the upstream. */
  readonly path: string;
  /** The host by which the caller knows us. */
  readonly host: string | undefined;
};

const CREDENTIALS = 'Authorization, X-API-Key';

/** The upstream's header lines that may travel on to the caller: names and values in turn. */
export function returnedHeaders(
  { rawHeaders, headers, statusCode }: IncomingMessage,
  passage: AddressRewrite,
): string[] {
  const { connection, vary, location, 'content-location': contentLocation } = headers;
  const dropped = nominated(connection);
  const lines: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const line = rawHeaders[i] ?? '';
    const name = returnedHeaderName(line);
    if (name === undefined || dropped.has(name)) continue;
    // RFC 9110, section 8.6: whoever believed it would wait for a body.
    if (statusCode === 204 && name === 'content-length') continue;
    lines.push(line, rawHeaders[i + 1] ?? '');
  }
  if (location !== undefined) pushPlace(lines, 'Location', rawHeaders, passage);
  if (contentLocation !== undefined) pushPlace(lines, 'Content-Location', rawHeaders, passage);
  // Whatever the upstream's answer varies on, it also varies on who asked us.
  lines.push('Vary', vary === undefined ? CREDENTIALS : `${vary}, ${CREDENTIALS}`);
  return lines;
}

/** Adds an address that the upstream told of; more than one is none. */
function pushPlace(
  lines: string[],
  name: string,
  rawHeaders: readonly string[],
  passage: AddressRewrite,
): void {
  const isIts = (i: number) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name.toLowerCase();
  const [value, ...others] = rawHeaders.filter((_, i) => isIts(i));
  const place = value === undefined || others.length > 0 ? undefined : publicPlace(value, passage);
  if (place !== undefined) lines.push(name, place);
}

/**
 * A `Location` as the caller can follow it: the upstream's own address becomes our path for it. An address that we
 * do not serve is not told at all: it names inner hosts, or leads the caller, and a proxy's reputation, elsewhere.
 */
function publicPlace(value: string, { map, upstreamUrl, path, host }: AddressRewrite): string | undefined {
  const place = URL.parse(value, new URL(path, upstreamUrl).href);
  if (place === null || (place.protocol !== 'http:' && place.protocol !== 'https:')) return undefined;
  const tail = place.search + place.hash;
  if (place.origin === upstreamUrl.origin) {
    const path = publicPath(map, place.pathname);
    return path === undefined ? undefined : path + tail;
  }
  // An upstream that minds X-Forwarded-Host speaks of our own address already.
  return place.host === host && isUnder(map.path, place.pathname) ? place.pathname + tail : undefined;
}
