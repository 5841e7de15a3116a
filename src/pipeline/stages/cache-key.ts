import { queryKey } from '../../contract/query-key.ts';
import type { Query } from '../../contract/query.ts';

/** Everything that a cached answer depends on. The caller is no part of it: permission is checked before the cache. */
export type CacheKey = {
  readonly operation: string;
  /** Changes with the source's file, its credential and the contract. */
  readonly digest: string;
  /** The canonical query: equal for every spelling of one query. */
  readonly query: string;
};

/** The parts of the cache key of a query. */
export function cacheKeyParts(operation: string, digest: string, query: Query): CacheKey {
  return { operation, digest, query: queryKey(query) };
}

/** The cache key of a query, as a text. */
export function cacheKeyOf(parts: CacheKey): string {
  return `${parts.operation}/${parts.digest}/${parts.query}`;
}
