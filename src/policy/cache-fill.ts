import { hash } from 'node:crypto';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/clock.ts';
import { createSingleFlight } from '../kernel/single-flight.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import { ageMs, type Cache } from '../store/cache/cache.ts';
import type { CacheEntry, Generation } from '../store/cache/cache-entry.ts';
import type { Lock } from '../store/distributed-lock.ts';
import { acquireOrWait, type FoundOrLock, UNLOCKED } from '../store/fleet-single-flight.ts';
import type { Purges } from '../store/purges.ts';
import type { UpstreamTrace } from '../telemetry/request-trace.ts';
import type { SourceAnswer, SourceCall, SourceHandler } from './call.ts';

/** How long answers live, seconds. */
export type Freshness = {
  /** How long "no such record" is remembered. */
  readonly notFound: number;
  /** How long after its freshness an answer is served while a new one is made in the background. */
  readonly staleWhileRevalidate: number;
  /** How long after its freshness an answer is served where no new one can be made. */
  readonly staleIfError: number;
};

export type CacheFillDeps = {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly freshness: Freshness;
  readonly purges: Pick<Purges, 'current'>;
  /** Percent of its freshness by which an answer may end early, so that not all end at once. */
  readonly jitterPercent: number;
  /** 0 to 1, anew for each answer. */
  readonly random: () => number;
  readonly tasks: Pick<BackgroundTasks, 'run'>;
  /** Bound of a refresh in the background. */
  readonly deadlineMs: number;
};

/** An entry, and whether it was made for those who asked. */
export type FilledEntry = { readonly entry: CacheEntry; readonly isMade: boolean };

/** Fills the cache from the source: a single flight per key in this process, and in the fleet. */
export type CacheFill = {
  /** A new entry: made here, or by another process a moment ago. */
  fill(key: string, call: SourceCall): Promise<CacheEntry>;
  /** What Redis has, else a new entry: mostly one question to Redis for both. */
  findOrFill(key: string, call: SourceCall): Promise<FilledEntry>;
  /** Makes a new entry in the background, in the caller's trace: once at a time, and not again right after a failure. */
  refresh(key: string, query: SourceCall['query'], spans: UpstreamTrace): void;
};

/** The pause before a source that failed is asked for the same answer again. */
const REFRESH_PAUSE_MS = 1_000;
const REFRESHES_MAX = 10_000;
/** How long to wait for the fill of another process, which may be slower than one of ours. */
const FLEET_WAIT = { pausesMs: [5, 100], patienceMs: 5_000 } as const;

/** A strong entity tag of a body (RFC 9110, section 8.8.3). */
function etagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

/** Creates the function that makes an entry of an answer. `generation`: what was purged before the source was asked. */
function createEntryMaker({ clock, freshness, jitterPercent, random }: CacheFillDeps) {
  const keepSeconds = Math.max(freshness.staleWhileRevalidate, freshness.staleIfError);
  return function entryOf(answer: SourceAnswer, generation: Generation): CacheEntry {
    const { found, tags } = answer;
    const body = Buffer.from(found ? answer.body : '');
    const freshSeconds = found ? answer.freshSeconds : freshness.notFound;
    return {
      found,
      body,
      etag: found ? etagOf(body) : '',
      storedAt: found ? answer.storedAt : clock.now(),
      freshSeconds,
      freshMs: freshSeconds * 1_000 * (1 - (random() * jitterPercent) / 100),
      staleMs: found ? keepSeconds * 1_000 : 0,
      tags,
      generation,
    };
  };
}

/** Creates what fills the cache with the answers of a source. */
export function createCacheFill(deps: CacheFillDeps, source: SourceHandler): CacheFill {
  const { cache, clock, purges, tasks, deadlineMs } = deps;
  const entryOf = createEntryMaker(deps);
  const fills = createSingleFlight<CacheEntry>();
  const finds = createSingleFlight<FilledEntry>();
  const isFresh = (entry: CacheEntry) => ageMs(entry, clock) < entry.freshMs;
  const refreshed = createBoundedMap<object>(REFRESHES_MAX, () => 1);

  /** To `look`, any entry that may be served is enough; to `fill`, only a fresh one. */
  async function findOrLock(
    key: string,
    purpose: 'look' | 'fill',
    signal: AbortSignal,
  ): Promise<FoundOrLock<CacheEntry>> {
    if (!cache.isShared) return UNLOCKED;
    const tryOnce = async () => {
      const { entry, lock } = await cache.getOrLock(key, purpose);
      const isEnough = entry !== undefined && (purpose === 'look' || isFresh(entry));
      return { found: isEnough ? entry : undefined, lock };
    };
    return acquireOrWait(tryOnce, { clock, ...FLEET_WAIT }, signal);
  }

  async function createEntry(key: string, call: SourceCall, lock: Lock | undefined): Promise<CacheEntry> {
    try {
      // What is purged while the source is asked may be in its answer or not, so it counts as purged.
      const generation = purges.current();
      const made = entryOf(await source(call), generation);
      void cache.put(key, made, lock);
      return made;
    } catch (error) {
      void lock?.release();
      throw error;
    }
  }

  /** A single flight in this process: the source is asked until the last waiting caller has gone. */
  function share(key: string, call: SourceCall, work: (call: SourceCall) => Promise<CacheEntry>) {
    return fills.run(key, call.signal, (signal) => work({ ...call, signal }));
  }

  function fill(key: string, call: SourceCall): Promise<CacheEntry> {
    return share(key, call, async (shared) => {
      const { found, lock } = await findOrLock(key, 'fill', shared.signal);
      return found ?? createEntry(key, shared, lock);
    });
  }

  async function findOrMake(key: string, call: SourceCall): Promise<FilledEntry> {
    const { found, lock } = await findOrLock(key, 'look', call.signal);
    if (found !== undefined) return { entry: found, isMade: false };
    // Without a lock of the fleet, only the single flight of this process keeps others from making it, too.
    const made =
      lock === undefined
        ? share(key, call, (shared) => createEntry(key, shared, undefined))
        : createEntry(key, call, lock);
    return { entry: await made, isMade: true };
  }

  return {
    fill,
    findOrFill: (key, call) => finds.run(key, call.signal, (signal) => findOrMake(key, { ...call, signal })),
    refresh(key, query, spans) {
      if (refreshed.get(key) !== undefined) return;
      refreshed.set(key, {}, REFRESH_PAUSE_MS);
      const usage = { upstreamCalls: 0, upstreamMs: 0, spans };
      tasks.run((closing) => {
        const signal = AbortSignal.any([closing, AbortSignal.timeout(deadlineMs)]);
        return fill(key, { query, usage, signal, priority: 'refresh' });
      });
    },
  };
}
