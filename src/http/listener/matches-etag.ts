const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether `If-None-Match` names a representation by its `etag`, which is strong and quoted. The header is `*` or a list
 * of entity tags, which are compared weakly (RFC 9110, section 13.1.2).
 */
export function matchesEtag(ifNoneMatch: readonly string[], etag: string): boolean {
  if (ifNoneMatch.length === 0) return false;
  const list = ifNoneMatch.join();
  if (list === etag || list.trim() === '*') return true;
  return [...list.matchAll(ENTITY_TAG)].some(([, opaque]) => opaque === etag);
}
