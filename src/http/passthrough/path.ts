// Maps paths of a pass-through route to paths of its upstream, and refuses paths that servers interpret differently.

import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { RequestTarget } from '../listener/request-head.ts';
import { percentDecoded } from '../../kernel/percent-decoded.ts';
import { isUnder } from '../listener/routes.ts';

// Segments of pchar (RFC 3986, section 3.3). Anything else is refused, such as backslashes and raw bytes.
const PLAIN_PATH = /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)+$/;
// A dot segment, even with path parameters (`/..;x/`), which some servers cut off before they resolve the segment.
const DOT_SEGMENT = /\/\.{1,2}(?:[;/]|%3b|$)/i;
// Encoded `.`, `/`, `\` and control characters, which would change the segments when decoded; also if encoded twice.
const AMBIGUOUS_ENCODING = /%(?:25)*(?:2e|2f|5c|[01][0-9a-f]|7f)/i;

/**
 * Whether a raw path means the same to the gateway and to every server behind it. Other paths are never forwarded, because
 * the permission was checked for the path as the gateway reads it.
 */
export function isForwardable(path: string): boolean {
  if (!PLAIN_PATH.test(path) || path.includes('//') || DOT_SEGMENT.test(path)) return false;
  if (!path.includes('%')) return true;
  if (AMBIGUOUS_ENCODING.test(path)) return false;
  const decoded = percentDecoded(path);
  return decoded !== undefined && !changesWhenNormalised(decoded);
}

/**
 * Whether Unicode normalisation (NFKC), which some services apply, gives a decoded path other segments: `／` becomes `/`, and
 * `‥` becomes `..`.
 */
function changesWhenNormalised(decoded: string): boolean {
  const normalised = decoded.normalize('NFKC');
  return (
    normalised !== decoded &&
    (countDelimiters(normalised) !== countDelimiters(decoded) || DOT_SEGMENT.test(normalised))
  );
}

function countDelimiters(text: string): number {
  return text.replace(/[^/\\%;]/g, '').length;
}

/** How paths of a route are mapped to paths of its upstream. The paths here have no slash at their end. */
export type PathMap = { readonly path: string; readonly basePath: string; readonly stripPath: boolean };

/** The path map of a configured route. */
export function pathMapOf({
  path,
  upstream,
  stripPath,
}: Pick<PassthroughConfig, 'path' | 'upstream' | 'stripPath'>): PathMap {
  return { path, basePath: new URL(upstream).pathname.replace(/(?<!\/)\/+$/, ''), stripPath };
}

/** The upstream's path for a path of the gateway, which must be `map.path` or below it. */
function upstreamPath(map: PathMap, path: string): string {
  const rest = map.stripPath ? path.slice(map.path.length) : path;
  const full = map.basePath + rest;
  return full === '' ? '/' : full;
}

/** The path and query of the request to the upstream. The path of the target must be `map.path` or below it. */
export function upstreamTarget(map: PathMap, { path, query }: RequestTarget): string {
  return upstreamPath(map, path) + (query === '' ? '' : `?${query}`);
}

/** The gateway's path for a path of the upstream; `undefined` if the route does not reach it. */
export function publicPath(map: PathMap, path: string): string | undefined {
  if (!isUnder(map.basePath, path)) return undefined;
  const rest = path.slice(map.basePath.length);
  const full = map.stripPath ? map.path + rest : rest;
  return isUnder(map.path, full) ? full : undefined;
}
