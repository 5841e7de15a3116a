// The scan caches of one resource that this process knows: how long they live, and when they are refreshed.

import type { BackgroundTasks } from '../../kernel/background-tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { createLocalScanCache, type ScanCache } from '../../store/scan-cache/local-scan-cache.ts';
import type { RedisScanCaches } from '../../store/scan-cache/redis-scan-caches.ts';
import type { RowTable } from '../../store/scan-cache/row-table.ts';
import { createSharedScanCache } from '../../store/scan-cache/shared-scan-cache.ts';
import { createBoundedMap } from '../../store/memory/bounded-map.ts';
import type { SourceRuntime } from '../reading/windows/source-runtime.ts';

/** A scan cache, when the fleet was last asked for a newer one (monotonic), and when it is due for a refresh. */
export type KnownScanCache = { readonly scanCache: ScanCache; checkedAt: number; refreshAt: number };

/** The known scan caches: those of this process, and those of the fleet. */
export type KnownScanCaches = ReturnType<typeof createKnownScanCaches>;

/** The scan caches of one resource use at most this many times `budget.bytes` of memory. */
const SCAN_CACHES_MAX = 4;
/** How long this process may go without asking whether the fleet has a newer scan cache. */
const CHECK_MS = 1_000;
/** After this part of its life, a scan cache is replaced in the background when it is used. */
const REFRESH_AT = 2 / 3;
/** The part of its life that passes before a failed refresh is tried again. */
const RETRY_AFTER = 1 / 10;

/** Computes how long scan caches of a source live. */
function createLifetime(clock: Clock, seconds: number) {
  const lifeMs = seconds * 1_000;
  const refreshSeconds = Math.ceil(seconds * REFRESH_AT);
  return {
    lifeMs,
    /** The milliseconds that are left. They are limited, so that a clock that jumped cannot make them more than a life. */
    leftMs: ({ storedAt }: { readonly storedAt: number }) =>
      Math.min(storedAt + lifeMs - clock.now(), lifeMs),
    /** How long an answer is fresh: less than its scan cache lives, so that a later caller has it refreshed in time. */
    freshSecondsOf: ({ storedAt }: ScanCache) =>
      clock.now() - storedAt < refreshSeconds * 1_000 ? refreshSeconds : seconds,
  };
}

const bytesOf = ({ scanCache }: KnownScanCache) => scanCache.bytes;

/** Creates the known scan caches of one resource. `fleet` is absent if scan caches are not shared. */
export function createKnownScanCaches(
  { clock, budget, resource }: SourceRuntime,
  fleet: RedisScanCaches | undefined,
  tasks: BackgroundTasks,
) {
  const { lifeMs, leftMs, freshSecondsOf } = createLifetime(clock, budget.snapshot);
  const shared = lifeMs > 0 ? fleet : undefined;
  const kept = createBoundedMap(budget.bytes * SCAN_CACHES_MAX, bytesOf);
  /** What all scan caches of the resource share to filter and sort their rows. */
  const sorting = { fields: resource.itemFields, serialQueue: createSerialQueue() };

  function isAlive(known: KnownScanCache | undefined): known is KnownScanCache {
    return known !== undefined && leftMs(known.scanCache) > 0;
  }

  function keep(key: string, scanCache: ScanCache): ScanCache {
    // Each purge begins new keys, so scan caches under the old keys are of no use.
    kept.evictExpired();
    const refreshAt = scanCache.storedAt + lifeMs * REFRESH_AT;
    kept.set(key, { scanCache, checkedAt: clock.monotonic(), refreshAt }, leftMs(scanCache));
    return scanCache;
  }

  /** Keeps the rows of a table as a scan cache, and shares with the fleet each order that they are sorted in. */
  function keepTable(key: string, table: RowTable, storedAt: number): ScanCache {
    const scanCache = createLocalScanCache(table, storedAt, sorting, (order, positions) => {
      const ttlMs = Math.floor(leftMs({ storedAt }));
      if (shared === undefined || ttlMs <= 0) return;
      tasks.run((signal) => shared.addOrder(key, order, { table, storedAt, ttlMs, positions }, signal));
    });
    return keep(key, scanCache);
  }

  /** The fleet's scan cache, if it lives and is newer than `than` (milliseconds since the epoch). @throws if Redis fails */
  async function newerOf(key: string, than: number): Promise<ScanCache | undefined> {
    const head = await shared?.current(key);
    if (shared === undefined || head === undefined || head.storedAt <= than) return undefined;
    if (leftMs(head) <= 0 || head.bytes > budget.bytes) return undefined;
    return createSharedScanCache({
      ...{ shared, scan: key, head },
      async toLocal(signal) {
        const table = await shared.load(key, head, signal).catch(() => undefined);
        signal.throwIfAborted();
        return table && keepTable(key, table, head.storedAt);
      },
    });
  }

  return {
    shared,
    lifeMs,
    leftMs,
    freshSecondsOf,
    newerOf,
    keep,
    keepTable,
    has: (key: string) => isAlive(kept.get(key)),
    alive: () => kept.alive().filter(([, known]) => isAlive(known)),
    /** Finds a living scan cache, a newer one of the fleet included; `undefined` if there is none. */
    async find(key: string): Promise<KnownScanCache | undefined> {
      const known = kept.get(key);
      const alive = isAlive(known) ? known : undefined;
      if (alive !== undefined && clock.monotonic() - alive.checkedAt < CHECK_MS) return alive;
      if (alive !== undefined) alive.checkedAt = clock.monotonic();
      const newer = await newerOf(key, alive?.scanCache.storedAt ?? -Infinity).catch(() => undefined);
      if (newer === undefined) return alive;
      keep(key, newer);
      return kept.get(key);
    },
    /** Forgets a scan cache, unless another one has taken its place. */
    drop(key: string, known: KnownScanCache): void {
      if (kept.get(key) === known) kept.delete(key);
    },
    postponeRefresh(known: KnownScanCache): void {
      known.refreshAt = clock.now() + lifeMs * RETRY_AFTER;
    },
  };
}
