// RFC 3986, section 3.3: segments of pchar. Everything else, backslashes and raw bytes included, has no business here.
const PLAIN_PATH = /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)+$/;
// A dot segment, also with the path parameters that some servers cut off before they resolve it (`/..;x/`).
const DOT_SEGMENT = /\/\.{1,2}(?:[;/]|%3b|$)/i;
// Characters that would make other segments once decoded (`.`, `/`, `\`), controls, and the same encoded twice.
const TREACHEROUS = /%(?:25)*(?:2e|2f|5c|[01][0-9a-f]|7f)/i;

/**
 * Whether a raw path means the same to us and to whatever reads it behind us. What does not is never forwarded:
 * a path that was admitted as one thing must not become another on its way.
 */
export function isForwardable(path: string): boolean {
  if (!PLAIN_PATH.test(path) || path.includes('//') || DOT_SEGMENT.test(path)) return false;
  if (!path.includes('%')) return true;
  if (TREACHEROUS.test(path)) return false;
  try {
    return !unfolds(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/**
 * Whether a decoded path becomes other segments where compatible characters are made one, as some services do: `／` is a
 * `/` then, `‥` is `..` (Unicode Standard Annex 15, NFKC).
 */
function unfolds(decoded: string): boolean {
  const folded = decoded.normalize('NFKC');
  return folded !== decoded && (marksOf(folded) !== marksOf(decoded) || DOT_SEGMENT.test(folded));
}

function marksOf(text: string): number {
  return text.replace(/[^/\\%;]/g, '').length;
}

/** Where a route's requests go. Paths have no slash at their end. */
export type PathMap = { readonly path: string; readonly basePath: string; readonly stripPath: boolean };

/** The upstream's path for one of ours, which lies under `map.path`. */
export function upstreamPath(map: PathMap, path: string): string {
  const rest = map.stripPath ? path.slice(map.path.length) : path;
  const full = map.basePath + rest;
  return full === '' ? '/' : full;
}

/** Our path for one of the upstream's; `undefined` for a path that we do not let through. */
export function publicPath(map: PathMap, path: string): string | undefined {
  if (!isUnder(map.basePath, path)) return undefined;
  const rest = path.slice(map.basePath.length);
  const full = map.stripPath ? map.path + rest : rest;
  return isUnder(map.path, full) ? full : undefined;
}

/** Whether `path` is `parent` or lies below it. */
export function isUnder(parent: string, path: string): boolean {
  return path.startsWith(parent) && (path.length === parent.length || path[parent.length] === '/');
}
