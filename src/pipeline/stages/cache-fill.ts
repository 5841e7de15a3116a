// Makes cache entries of the answers of a source (for cache-stage.ts), so that the same answer is not made twice at the same
// time in the fleet.

import type { BackgroundTasks } from '../../kernel/background-tasks.ts';
import { createSingleFlight, type SingleFlight } from '../../kernel/single-flight.ts';
import { createBoundedMap } from '../../store/memory/bounded-map.ts';
import { type Cache, staleMsOf } from '../../store/cache/cache.ts';
import { type CacheEntry, type PurgePosition, tagText } from '../../store/cache/cache-entry.ts';
import type { EntryLock } from '../../store/cache/redis-entries.ts';
import { acquireOrWait, type FoundOrLock, UNLOCKED } from '../../store/fleet-single-flight.ts';
import type { Purges } from '../../store/cache/purges.ts';
import type { UpstreamTrace } from '../../telemetry/request-span.ts';
import { timed } from '../../telemetry/requests/request-timings.ts';
import type { SourceCall, SourceHandler, SourceAnswer } from './call.ts';
import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';

/** How long answers are kept, in seconds. */
export type Freshness = {
  /** How long "no such record" is remembered. */
  readonly notFound: number;
  /** How long after its freshness an answer is served while a new one is made in the background. */
  readonly staleWhileRevalidate: number;
  /** How long after its freshness an answer is served if no new one can be made. */
  readonly staleIfError: number;
};

/**
 * What the maker needs. An answer itself says how long it is fresh (`freshSeconds`). `freshness` says it for missing records,
 * and how long an answer may be served stale.
 */
export type EntryMakerDeps = {
  readonly clock: Clock;
  readonly freshness: Freshness;
  /** The percentage by which freshness may end early, so that not all answers expire at once. */
  readonly jitterPercent: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
};

/** The strong entity tag of a body (RFC 9110, section 8.8.3): a part of its SHA-256, in quotes. */
export function etagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

const NO_BODY = Buffer.alloc(0);

/** Creates the maker. Its `purgePosition` is that of the last purge before the source was asked. */
export function createEntryMaker({ clock, freshness, jitterPercent, random }: EntryMakerDeps) {
  const keepSeconds = Math.max(freshness.staleWhileRevalidate, freshness.staleIfError);
  return function entryOf(answer: SourceAnswer, purgePosition: PurgePosition): CacheEntry {
    const { found, tags } = answer;
    const body = found ? answer.body : NO_BODY;
    const freshSeconds = found ? answer.freshSeconds : freshness.notFound;
    return {
      found,
      body,
      etag: found ? etagOf(body) : '',
      storedAt: found ? answer.storedAt : clock.now(),
      freshSeconds,
      freshMs: freshSeconds * 1_000 * (1 - (random() * jitterPercent) / 100),
      staleMs: found ? keepSeconds * 1_000 : 0,
      tags: tagText(tags),
      purgePosition,
    };
  };
}

/** What filling needs. `deadlineMs` limits only background refreshes; other fills end when their callers have gone. */
export type CacheFillDeps = EntryMakerDeps & {
  readonly cache: Cache;
  readonly purges: Pick<Purges, 'current'>;
  readonly tasks: Pick<BackgroundTasks, 'run'>;
  readonly deadlineMs: number;
};

/** An entry, and whether it was made now (a miss) or found in Redis. */
export type FilledEntry = { readonly entry: CacheEntry; readonly isMade: boolean };

/** The pause between two refreshes of the same entry, so that a failing source is not asked all the time. */
const REFRESH_PAUSE_MS = 1_000;
const REFRESHES_MAX = 10_000;
/** How long this process waits until another one has filled the entry; then it fills the entry itself. */
const FLEET_WAIT = { pausesMs: [5, 100], patienceMs: 5_000 } as const;

/** Does the work, or waits for the same work of another call. Then the log line of that call has the timings. */
function joined<T>(
  flights: SingleFlight<T>,
  key: string,
  call: SourceCall,
  work: (call: SourceCall) => Promise<T>,
): Promise<T> {
  const isShared = flights.has(key);
  const done = flights.run(key, call.signal, (signal) => work({ ...call, signal }));
  return isShared ? timed(call.usage.timings, 'shared', done) : done;
}

/** Creates the functions that fill the cache: one fill per key at a time, in this process and in the fleet. */
export function createCacheFill(deps: CacheFillDeps, source: SourceHandler) {
  const { cache, clock, purges, tasks, deadlineMs } = deps;
  const entryOf = createEntryMaker(deps);
  const fills = createSingleFlight<CacheEntry>();
  const finds = createSingleFlight<FilledEntry>();
  const isFresh = (entry: CacheEntry) => staleMsOf(entry, clock) < 0;
  const refreshed = createBoundedMap<object>(REFRESHES_MAX, () => 1);

  /** Finds an entry in Redis or takes its lock. To `look`, any entry is enough; to `fill`, only a fresh one. */
  async function findOrLock(
    key: string,
    purpose: 'look' | 'fill',
    { signal, usage }: SourceCall,
  ): Promise<FoundOrLock<CacheEntry, EntryLock>> {
    if (!cache.isShared) return UNLOCKED;
    const tryOnce = async () => {
      const { entry, lock } = await cache.getOrLock(key, purpose);
      const isEnough = entry !== undefined && (purpose === 'look' || isFresh(entry));
      return { found: isEnough ? entry : undefined, lock };
    };
    return timed(usage.timings, 'cache', acquireOrWait(tryOnce, { clock, ...FLEET_WAIT }, signal));
  }

  async function createEntry(key: string, call: SourceCall, lock?: EntryLock): Promise<CacheEntry> {
    try {
      // The position is taken before the source is asked. So a purge in the meantime also ends this entry.
      const purgePosition = purges.current();
      const made = entryOf(await source(call), purgePosition);
      void cache.put(key, made, lock);
      return made;
    } catch (error) {
      void lock?.release();
      throw error;
    }
  }

  /** Shares the work among the callers in this process. It is aborted when the last of them has gone. */
  function share(key: string, call: SourceCall, work: (call: SourceCall) => Promise<CacheEntry>) {
    return joined(fills, key, call, work);
  }

  function fill(key: string, call: SourceCall): Promise<CacheEntry> {
    return share(key, call, async (shared) => {
      const { found, lock } = await findOrLock(key, 'fill', shared);
      return found ?? createEntry(key, shared, lock);
    });
  }

  async function findOrMake(key: string, call: SourceCall): Promise<FilledEntry> {
    const { found, lock } = await findOrLock(key, 'look', call);
    if (found !== undefined) return { entry: found, isMade: false };
    // Without the lock of the fleet, at least the calls of this process share one fill.
    const made =
      lock === undefined
        ? share(key, call, (shared) => createEntry(key, shared, undefined))
        : createEntry(key, call, lock);
    return { entry: await made, isMade: true };
  }

  return {
    /** A fresh entry: made by this process, or by another one a moment ago. */
    fill,
    /** The entry in Redis, even a stale one, or else a new entry. */
    findOrFill: (key: string, call: SourceCall): Promise<FilledEntry> =>
      joined(finds, key, call, (shared) => findOrMake(key, shared)),
    /** Makes a new entry in the background, in the caller's trace, but not again within a second. */
    refresh(key: string, query: SourceCall['query'], spans: UpstreamTrace): void {
      if (refreshed.get(key) !== undefined) return;
      refreshed.set(key, {}, REFRESH_PAUSE_MS);
      const usage = { upstreamCalls: 0, upstreamMs: 0, spans, query };
      tasks.run((closing) => {
        const signal = AbortSignal.any([closing, AbortSignal.timeout(deadlineMs)]);
        return fill(key, { query, usage, signal, priority: 'refresh' });
      });
    },
  };
}
