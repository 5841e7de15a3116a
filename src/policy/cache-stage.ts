import { hash } from 'node:crypto';
import { queryKey } from '../contract/query-key.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { fault, GatewayError } from '../errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import { createSingleFlight } from '../kernel/single-flight.ts';
import type { Priority } from '../kernel/upstream-call.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import { ageMs, type Cache } from '../store/cache/cache.ts';
import type { CacheEntry, Generation } from '../store/cache/cache-entry.ts';
import type { Lock } from '../store/distributed-lock.ts';
import type { Call, Handler, Reply } from './call.ts';
import { createFillRight } from './fleet-single-flight.ts';

/** What a fill of the cache brings: a finished body, or the knowledge that there is no such record. */
export type Document =
  | {
      readonly found: true;
      readonly body: string;
      readonly storedAt: number;
      readonly freshSeconds: number;
      /** What it is about, such as `users` and `user:42`. */
      readonly tags: readonly string[];
    }
  | { readonly found: false; readonly tags: readonly string[] };

/** What an answer is made of, and how urgent it is: for a caller where nothing is said. */
export type Question = Pick<Call, 'query' | 'trace'> & { readonly priority?: Priority };

/** Makes an answer from the source. Its signal aborts when nobody waits for it any more. */
export type Fill = (question: Question, signal: AbortSignal) => Promise<Document>;

/** How long answers live, seconds. */
export type Freshness = {
  /** How long "no such record" is remembered. */
  readonly notFound: number;
  /** How long after its freshness an answer is served while a new one is made behind the caller's back. */
  readonly staleWhileRevalidate: number;
  /** How long after its freshness an answer is served where no new one can be made. */
  readonly staleIfError: number;
};

export type CachedDeps = {
  readonly cache: Cache;
  readonly clock: Clock;
  /** Digest of the compiled source and contract: what a change of configuration changes. */
  readonly digest: string;
  readonly freshness: Freshness;
  /** What has been purged so far. */
  readonly generation: () => Generation;
  /** By what part its freshness ends early: 0 to 1, drawn anew for each answer. */
  readonly jitter: () => number;
  /** Does work that nobody waits for. */
  readonly background: (work: (signal: AbortSignal) => Promise<unknown>) => void;
};

/** An answer, and whether it was made for those who asked. */
type Found = { readonly entry: CacheEntry; readonly isMade: boolean };

/** A source that is down is not asked for the same answer again before. */
const REFRESH_PAUSE_MS = 1_000;
const REFRESHES_MAX = 10_000;

/** Failures of a source, in whose place an older answer may stand. */
const SOURCE_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'upstream_error',
  'upstream_invalid_response',
  'upstream_timeout',
  'upstream_unavailable',
  'overloaded',
  'scan_limit_exceeded',
]);

/** A strong entity tag of a body (RFC 9110, section 8.8.3). */
function etagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

function replyOf(call: Call, entry: CacheEntry, cache: Reply['cache']): Reply {
  call.trace.cache = cache;
  if (!entry.found) throw fault('not_found');
  return {
    body: entry.body,
    etag: entry.etag,
    storedAt: entry.storedAt,
    freshSeconds: entry.freshSeconds,
    cache,
    encodings: entry.encodings,
  };
}

/**
 * Serves finished bodies from the cache and fills it, once per key at a time over all processes.
 * It stands after permission, so that it cannot leak; its key names everything the answer depends on, and never
 * the caller.
 */
export function createCached(deps: CachedDeps, fill: Fill): Handler {
  const { cache, clock, digest, freshness, generation, jitter, background } = deps;
  const flights = createSingleFlight<CacheEntry>();
  const looks = createSingleFlight<Found>();
  const isFresh = (entry: CacheEntry) => ageMs(entry, clock) < entry.freshMs;
  const staleForMs = (entry: CacheEntry) => ageMs(entry, clock) - entry.freshMs;
  const fillRight = createFillRight({ cache, clock, isFresh });
  const refreshed = createBoundedMap<object>(REFRESHES_MAX, () => 1);

  function entryOf(document: Document, asked: Generation): CacheEntry {
    const { found, tags } = document;
    const body = Buffer.from(found ? document.body : '');
    const freshSeconds = found ? document.freshSeconds : freshness.notFound;
    const staleSeconds = found ? Math.max(freshness.staleWhileRevalidate, freshness.staleIfError) : 0;
    return {
      found,
      body,
      etag: found ? etagOf(body) : '',
      storedAt: found ? document.storedAt : clock.now(),
      freshSeconds,
      freshMs: freshSeconds * 1_000 * (1 - jitter()),
      staleMs: staleSeconds * 1_000,
      tags,
      generation: asked,
    };
  }

  async function make(
    key: string,
    question: Question,
    signal: AbortSignal,
    lock: Lock | undefined,
  ): Promise<CacheEntry> {
    try {
      // What is purged while the source is asked may be in its answer or not, so it counts as purged.
      const asked = generation();
      const made = entryOf(await fill(question, signal), asked);
      void cache.put(key, made, lock);
      return made;
    } catch (error) {
      void lock?.release();
      throw error;
    }
  }

  async function makeEntry(key: string, question: Question, signal: AbortSignal): Promise<CacheEntry> {
    const { entry, lock } = await fillRight(key, 'fill', signal);
    return entry ?? make(key, question, signal, lock);
  }

  /** What the fleet has, or else a new answer. */
  async function findOrMake(key: string, question: Question, signal: AbortSignal): Promise<Found> {
    const { entry, lock } = await fillRight(key, 'look', signal);
    if (entry !== undefined) return { entry, isMade: false };
    // Without a lock, only this process keeps others from making it, too.
    const made =
      lock === undefined
        ? flights.run(key, signal, (shared) => make(key, question, shared, undefined))
        : make(key, question, signal, lock);
    return { entry: await made, isMade: true };
  }

  /** Makes a new answer that nobody waits for: once at a time, and not again right after a failure. */
  function refresh(key: string, { query }: Call): void {
    if (refreshed.get(key) !== undefined) return;
    refreshed.set(key, {}, REFRESH_PAUSE_MS);
    const question: Question = {
      query,
      priority: 'refresh',
      trace: { cache: 'none', upstreamCalls: 0, upstreamMs: 0, principalId: undefined },
    };
    background((signal) => flights.run(key, signal, (shared) => makeEntry(key, question, shared)));
  }

  async function serveFilled(call: Call, key: string, stale?: CacheEntry): Promise<Reply> {
    call.trace.cache = 'miss';
    try {
      const entry = await flights.run(key, call.signal, (signal) => makeEntry(key, call, signal));
      return replyOf(call, entry, 'miss');
    } catch (error) {
      const failed = error instanceof GatewayError && SOURCE_FAILURES.has(error.code);
      if (!failed || stale === undefined || staleForMs(stale) >= freshness.staleIfError * 1_000) throw error;
      return replyOf(call, stale, 'stale');
    }
  }

  function serveKept(call: Call, key: string, entry: CacheEntry): Reply | Promise<Reply> {
    const staleMs = staleForMs(entry);
    if (staleMs < 0) return replyOf(call, entry, 'hit');
    if (!entry.found || staleMs >= freshness.staleWhileRevalidate * 1_000)
      return serveFilled(call, key, entry.found ? entry : undefined);
    refresh(key, call);
    return replyOf(call, entry, 'stale');
  }

  /** Where this process has nothing: looking and making are one flight, and mostly one question to Redis. */
  async function serveFound(call: Call, key: string): Promise<Reply> {
    call.trace.cache = 'miss';
    const found = await looks.run(key, call.signal, (signal) => findOrMake(key, call, signal));
    return found.isMade ? replyOf(call, found.entry, 'miss') : serveKept(call, key, found.entry);
  }

  return function serveCached(call) {
    if (call.query === undefined) throw new Error('the query is parsed before the cache');
    const key = `${call.operation}/${digest}/${queryKey(call.query)}`;
    const near = cache.local(key);
    if (near === undefined) return cache.isShared ? serveFound(call, key) : serveFilled(call, key);
    if (isFresh(near) || !cache.isShared) return serveKept(call, key, near);
    // Another process may have a newer one.
    return cache.remote(key).then((far) => serveKept(call, key, far ?? near));
  };
}
