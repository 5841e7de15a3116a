import { hash } from 'node:crypto';
import { queryKey } from '../contract/query-key.ts';
import { fault } from '../errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import { createSingleFlight } from '../kernel/single-flight.ts';
import type { Cache } from '../store/cache.ts';
import type { CacheEntry } from '../store/cache-entry.ts';
import type { Call, Handler, Reply } from './call.ts';

/** What a fill of the cache brings: a finished body, or the knowledge that there is no such record. */
export type Document =
  | { readonly found: true; readonly body: string; readonly storedAt: number; readonly freshSeconds: number }
  | { readonly found: false };

/** Makes an answer from the source. Its signal aborts when nobody waits for it any more. */
export type Fill = (call: Call, signal: AbortSignal) => Promise<Document>;

export type CachedDeps = {
  readonly cache: Cache;
  readonly clock: Clock;
  /** Digest of the compiled source and contract: what a change of configuration changes. */
  readonly digest: string;
  readonly notFoundSeconds: number;
};

/** A strong entity tag of a body (RFC 9110, section 8.8.3). */
function etagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

function replyOf(entry: CacheEntry, cache: Reply['cache']): Reply {
  if (!entry.found) throw fault('not_found');
  return {
    body: entry.body,
    etag: entry.etag,
    storedAt: entry.storedAt,
    freshSeconds: entry.freshSeconds,
    cache,
  };
}

/**
 * Serves finished bodies from the cache and fills it, once per key at a time in this process.
 * It stands after permission, so that it cannot leak; its key names everything the answer depends on, and never
 * the caller.
 */
export function createCached({ cache, clock, digest, notFoundSeconds }: CachedDeps, fill: Fill): Handler {
  const flights = createSingleFlight<CacheEntry>();

  function entryOf(document: Document): CacheEntry {
    if (!document.found) {
      return {
        found: false,
        body: Buffer.alloc(0),
        etag: '',
        storedAt: clock.now(),
        freshSeconds: notFoundSeconds,
      };
    }
    const body = Buffer.from(document.body);
    return {
      found: true,
      body,
      etag: etagOf(body),
      storedAt: document.storedAt,
      freshSeconds: document.freshSeconds,
    };
  }

  function serveKept(call: Call, entry: CacheEntry): Reply {
    call.trace.cache = 'hit';
    return replyOf(entry, 'hit');
  }

  async function serveFilled(call: Call, key: string): Promise<Reply> {
    call.trace.cache = 'miss';
    const entry = await flights.run(key, call.signal, async (signal) => {
      const made = entryOf(await fill(call, signal));
      cache.put(key, made);
      return made;
    });
    return replyOf(entry, 'miss');
  }

  return function serveCached(call) {
    if (call.query === undefined) throw new Error('the query is parsed before the cache');
    const key = `${call.operation}/${digest}/${queryKey(call.query)}`;
    const kept = cache.get(key);
    if (kept === undefined) return serveFilled(call, key);
    if (!(kept instanceof Promise)) return serveKept(call, kept);
    return kept.then((later) => (later === undefined ? serveFilled(call, key) : serveKept(call, later)));
  };
}
