// The stage that serves answers from the cache, and fills the cache from the source.

import type { Query } from '../../contract/query.ts';
import type { ErrorCode } from '../../kernel/errors/catalogue.ts';
import { fault, GatewayError } from '../../kernel/errors/fault.ts';
import { entryAnswer, staleMsOf } from '../../store/cache/cache.ts';
import type { CacheEntry } from '../../store/cache/cache-entry.ts';
import { obtainTimings, timed } from '../../telemetry/requests/request-timings.ts';
import { type CacheFillDeps, createCacheFill, etagOf } from './cache-fill.ts';
import type { Call, Handler, CallAnswer, SourceCall, SourceHandler } from './call.ts';

/** What the stage needs. `digest` is part of every key, so answers of a changed source file are not found. */
export type CacheStageDeps = CacheFillDeps & {
  /** The digest of the source's file and of the contract's version. */
  readonly digest: string;
};

/**
 * The key of an answer in the cache: everything that the answer depends on. The caller is no part of it, because permission
 * is checked before. `digest` changes with the source's file, its credential and the contract; `query` is `queryKey`.
 */
export function cacheKeyOf(operation: string, digest: string, query: string): string {
  return `${operation}/${digest}/${query}`;
}

/** The failures of a source for which an old answer may be served instead. */
const SOURCE_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'upstream_error',
  'upstream_invalid_response',
  'upstream_timeout',
  'upstream_unavailable',
  'overloaded',
  'scan_limit_exceeded',
]);

/** The answer of an entry. Throws 404 if the entry says that there is no such record. */
function replyOf(call: Call, entry: CacheEntry, cache: CallAnswer['cache']): CallAnswer {
  call.summary.cache = cache;
  if (!entry.found) throw fault('not_found');
  return entryAnswer(entry, cache);
}

const UNPARSED = 'the query is parsed before the cache';

function queryOf({ query }: Call): Query {
  if (query === undefined) throw new Error(UNPARSED);
  return query;
}

/** Makes the call to the source for a call of a client. It has nothing of the caller, because others get the answer, too. */
function sourceCallOf(call: Call): SourceCall {
  const query = queryOf(call);
  call.summary.spans = call.openTrace();
  call.summary.query = query;
  call.summary.principal = call.principal?.subject;
  obtainTimings(call.summary);
  return { query, usage: call.summary, signal: call.signal };
}

/**
 * Creates the cache stage. It serves cached bodies, stale ones if the configuration allows it, and fills the cache from the
 * source. A hit is returned at once, without a promise.
 */
export function createCacheStage(deps: CacheStageDeps): (source: SourceHandler) => Handler {
  const { cache, clock, digest } = deps;
  const staleIfErrorMs = deps.freshness.staleIfError * 1_000;
  const staleWhileRevalidateMs = deps.freshness.staleWhileRevalidate * 1_000;

  return function cacheAround(source) {
    const cacheFill = createCacheFill(deps, source);

    async function serveFilled(call: Call, key: string, stale?: CacheEntry): Promise<CallAnswer> {
      call.summary.cache = 'miss';
      try {
        return replyOf(call, await cacheFill.fill(key, sourceCallOf(call)), 'miss');
      } catch (error) {
        const isSourceFailure = error instanceof GatewayError && SOURCE_FAILURES.has(error.code);
        if (!isSourceFailure || stale === undefined || staleMsOf(stale, clock) >= staleIfErrorMs) throw error;
        return replyOf(call, stale, 'stale');
      }
    }

    function serveEntry(call: Call, key: string, entry: CacheEntry): CallAnswer | Promise<CallAnswer> {
      const staleMs = staleMsOf(entry, clock);
      if (staleMs < 0) return replyOf(call, entry, 'hit');
      if (!entry.found || staleMs >= staleWhileRevalidateMs)
        return serveFilled(call, key, entry.found ? entry : undefined);
      cacheFill.refresh(key, queryOf(call), call.openTrace());
      return replyOf(call, entry, 'stale');
    }

    /** Serves a key that this process has no entry for, but that another process may have put into Redis. */
    async function serveShared(call: Call, key: string): Promise<CallAnswer> {
      call.summary.cache = 'miss';
      const { entry, isMade } = await cacheFill.findOrFill(key, sourceCallOf(call));
      return isMade ? replyOf(call, entry, 'miss') : serveEntry(call, key, entry);
    }

    return function cached(call) {
      if (call.queryKey === undefined) throw new Error(UNPARSED);
      const key = cacheKeyOf(call.operation, digest, call.queryKey);
      const local = cache.local(key);
      if (local === undefined) return cache.isShared ? serveShared(call, key) : serveFilled(call, key);
      const staleMs = staleMsOf(local, clock);
      // Most calls end here, so this path is short.
      if (local.found && staleMs < 0) {
        call.summary.cache = 'hit';
        return entryAnswer(local, 'hit');
      }
      if (!cache.isShared || staleMs < 0) return serveEntry(call, key, local);
      // Another process may have put a newer entry into Redis.
      return timed(obtainTimings(call.summary), 'cache', cache.remote(key)).then((remote) =>
        serveEntry(call, key, remote ?? local),
      );
    };
  };
}

/** Creates a handler that asks the source for each call and does not use the cache. */
export function createUncachedHandler(source: SourceHandler): Handler {
  return async function uncached(call) {
    call.summary.cache = 'miss';
    const answer = await source(sourceCallOf(call));
    if (!answer.found) throw fault('not_found');
    const { body, storedAt, freshSeconds } = answer;
    return { body, etag: etagOf(body), storedAt, freshSeconds, cache: 'miss' };
  };
}
