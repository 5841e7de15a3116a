import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { RequestTarget } from '../listener/request-head.ts';
import { isUnder } from '../listener/routes.ts';

// RFC 3986, section 3.3: segments of pchar. Anything else is refused, backslashes and raw bytes included.
const PLAIN_PATH = /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)+$/;
// A dot segment, also with path parameters, which some servers cut off before they resolve it (`/..;x/`).
const DOT_SEGMENT = /\/\.{1,2}(?:[;/]|%3b|$)/i;
// Encoded characters that would make other segments once decoded (`.`, `/`, `\`), and controls; also encoded twice.
const AMBIGUOUS_ENCODING = /%(?:25)*(?:2e|2f|5c|[01][0-9a-f]|7f)/i;

/**
 * Whether a raw path means the same to the gateway and to every server behind it. Others are never forwarded: a path
 * that was admitted as one thing must not become another on its way.
 */
export function isForwardable(path: string): boolean {
  if (!PLAIN_PATH.test(path) || path.includes('//') || DOT_SEGMENT.test(path)) return false;
  if (!path.includes('%')) return true;
  if (AMBIGUOUS_ENCODING.test(path)) return false;
  try {
    return !changesWhenNormalised(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/**
 * Whether a decoded path gets other segments by Unicode normalisation, which some services apply: `／` becomes `/` and
 * `‥` becomes `..` (Unicode Standard Annex 15, NFKC).
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

/** How the paths of a route and of its upstream belong together. Paths have no slash at their end. */
export type PathMap = { readonly path: string; readonly basePath: string; readonly stripPath: boolean };

/** How the paths of a configured route and of its upstream belong together. */
export function pathMapOf({
  path,
  upstream,
  stripPath,
}: Pick<PassthroughConfig, 'path' | 'upstream' | 'stripPath'>): PathMap {
  return { path, basePath: new URL(upstream).pathname.replace(/(?<!\/)\/+$/, ''), stripPath };
}

/** The upstream's path for a path of the gateway, which lies under `map.path`. */
function upstreamPath(map: PathMap, path: string): string {
  const rest = map.stripPath ? path.slice(map.path.length) : path;
  const full = map.basePath + rest;
  return full === '' ? '/' : full;
}

/** Path and query of the request to the upstream, for a target whose path lies under `map.path`. */
export function upstreamTarget(map: PathMap, { path, query }: RequestTarget): string {
  return upstreamPath(map, path) + (query === '' ? '' : `?${query}`);
}

/** The gateway's path for one of the upstream's; `undefined` for a path outside of the route. */
export function publicPath(map: PathMap, path: string): string | undefined {
  if (!isUnder(map.basePath, path)) return undefined;
  const rest = path.slice(map.basePath.length);
  const full = map.stripPath ? map.path + rest : rest;
  return isUnder(map.path, full) ? full : undefined;
}
