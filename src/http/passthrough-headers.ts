import { isUnder, type PathMap, publicPath } from './passthrough-path.ts';

/** RFC 9110, section 7.6.1: what belongs to one connection and not to the message. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** What a caller may not tell the upstream, beside everything that starts with `x-forwarded` or `proxy`. */
const NOT_FORWARDED = new Set([
  ...HOP_BY_HOP,
  // Credentials are for the gateway only.
  'authorization',
  'x-api-key',
  'cookie',
  'cookie2',
  // Said by the gateway itself.
  'host',
  'content-length',
  'x-request-id',
  'expect',
  // Where the caller is: a claim like any other.
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  // Another method or path than the one that was admitted.
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'x-original-host',
]);

/** What an upstream may not tell the caller, beside everything that starts with `access-control` or `proxy`. */
const NOT_RETURNED = new Set([
  ...HOP_BY_HOP,
  // A session or a challenge between the upstream and the gateway.
  'set-cookie',
  'set-cookie2',
  'www-authenticate',
  // What the upstream is made of, and what only its own origin may decide.
  'server',
  'x-powered-by',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'x-runtime',
  'alt-svc',
  'strict-transport-security',
  'clear-site-data',
  'refresh',
  // Said by the gateway itself.
  'x-request-id',
  'x-content-type-options',
  'ratelimit',
  'ratelimit-policy',
  'vary',
  // Rewritten.
  'location',
  'content-location',
]);

/** The names that `Connection` lines nominate as belonging to this hop. */
function nominated(rawHeaders: readonly string[]): ReadonlySet<string> {
  return new Set(
    valuesOf(rawHeaders, 'connection')
      .join()
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  );
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

/**
 * The caller's header lines that may travel on, by lower-case name. Names with an underscore stay behind: CGI-like
 * upstreams cannot tell `X_Forwarded_For` from `X-Forwarded-For`.
 */
export function forwardedHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const dropped = nominated(rawHeaders);
  const headers = new Map<string, string[]>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (NOT_FORWARDED.has(name) || dropped.has(name) || /^(?:x-forwarded|proxy)|_/.test(name)) continue;
    headers.set(name, [...(headers.get(name) ?? []), rawHeaders[i + 1] ?? '']);
  }
  return Object.fromEntries(headers);
}

/** Where an upstream's answer came from and where it goes, as far as addresses in it must be rewritten. */
export type Passage = {
  readonly map: PathMap;
  /** The upstream's URL of the request. */
  readonly upstreamUrl: URL;
  /** The host by which the caller knows us. */
  readonly host: string | undefined;
};

/** The upstream's header lines that may travel on to the caller: names and values in turn. */
export function returnedHeaders(rawHeaders: readonly string[], passage: Passage): string[] {
  const dropped = nominated(rawHeaders);
  const headers: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (NOT_RETURNED.has(name) || dropped.has(name) || /^(?:access-control|proxy)/.test(name)) continue;
    headers.push(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  }
  for (const name of ['Location', 'Content-Location']) {
    const [value, ...others] = valuesOf(rawHeaders, name.toLowerCase());
    const place = value === undefined || others.length > 0 ? undefined : publicPlace(value, passage);
    if (place !== undefined) headers.push(name, place);
  }
  // Whatever the upstream's answer varies on, it also varies on who asked us.
  headers.push('Vary', [...valuesOf(rawHeaders, 'vary'), 'Authorization', 'X-API-Key'].join(', '));
  return headers;
}

/**
 * A `Location` as the caller can follow it: the upstream's own address becomes our path for it. An address that we
 * do not serve is not told at all: it names inner hosts, or leads the caller, and a proxy's reputation, elsewhere.
 */
function publicPlace(value: string, { map, upstreamUrl, host }: Passage): string | undefined {
  const place = URL.parse(value, upstreamUrl.href);
  if (place === null || (place.protocol !== 'http:' && place.protocol !== 'https:')) return undefined;
  const tail = place.search + place.hash;
  if (place.origin === upstreamUrl.origin) {
    const path = publicPath(map, place.pathname);
    return path === undefined ? undefined : path + tail;
  }
  // An upstream that minds X-Forwarded-Host speaks of our own address already.
  return place.host === host && isUnder(map.path, place.pathname) ? place.pathname + tail : undefined;
}
