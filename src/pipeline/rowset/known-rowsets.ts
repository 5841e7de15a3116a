import type { BackgroundTasks } from '../../kernel/background-tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { createLocalRowSet, type RowSet } from '../../store/rowset/local-rowset.ts';
import type { RedisRowSets } from '../../store/rowset/redis-rowsets.ts';
import type { RowTable } from '../../store/rowset/row-table.ts';
import { createSharedRowSet } from '../../store/rowset/shared-rowset.ts';
import { createBoundedMap } from '../../store/memory/bounded-map.ts';
import type { SourceRuntime } from '../reading/windows/source-runtime.ts';

/** What this process knows of the row set of one scan. */
export type KnownRowSet = { readonly rowSet: RowSet; checkedAt: number; refreshAt: number };

/** The row sets that this process knows: its own, and those of the fleet. */
export type KnownRowSets = ReturnType<typeof createKnownRowSets>;

/** The row sets of one resource take at most this many times its scan budget of this process' memory. */
const ROW_SETS_MAX = 4;
/** How long this process may go without asking whether the fleet has a newer row set. */
const CHECK_MS = 1_000;
/** From this part of its life on, a row set that is used is replaced in the background. */
const REFRESH_AT = 2 / 3;
/** The part of a life that passes before a refresh that failed is tried again. */
const RETRY_AFTER = 1 / 10;

/** How long row sets of a source live. */
function createLifetime(clock: Clock, seconds: number) {
  const lifeMs = seconds * 1_000;
  const refreshSeconds = Math.ceil(seconds * REFRESH_AT);
  return {
    lifeMs,
    /** A clock that jumped must not make a row set live longer than it was meant to. */
    leftMs: ({ storedAt }: { readonly storedAt: number }) =>
      Math.min(storedAt + lifeMs - clock.now(), lifeMs),
    /** An answer grows old before its row set does, so that a later caller has the row set replaced in time. */
    freshSecondsOf: ({ storedAt }: RowSet) =>
      clock.now() - storedAt < refreshSeconds * 1_000 ? refreshSeconds : seconds,
  };
}

/** Creates the row sets that a process knows of one resource. `fleet` is absent where they are not shared. */
export function createKnownRowSets(
  { clock, budget, resource }: SourceRuntime,
  fleet: RedisRowSets | undefined,
  tasks: BackgroundTasks,
) {
  const { lifeMs, leftMs, freshSecondsOf } = createLifetime(clock, budget.snapshot);
  const shared = lifeMs > 0 ? fleet : undefined;
  const kept = createBoundedMap<KnownRowSet>(budget.bytes * ROW_SETS_MAX, ({ rowSet }) => rowSet.bytes);
  const views = {
    kinds: new Map(resource.itemFields.map((field) => [field.name, field.kind])),
    serialQueue: createSerialQueue(),
  };

  function isAlive(known: KnownRowSet | undefined): known is KnownRowSet {
    return known !== undefined && leftMs(known.rowSet) > 0;
  }

  function keep(key: string, rowSet: RowSet): RowSet {
    const refreshAt = rowSet.storedAt + lifeMs * REFRESH_AT;
    // Each purge begins new keys, and what was kept under those before has no further use.
    kept.evictExpired();
    kept.set(key, { rowSet, checkedAt: clock.monotonic(), refreshAt }, leftMs(rowSet));
    return rowSet;
  }

  /** Keeps the rows of a table, and shares the orders that they are put in. */
  function keepTable(key: string, table: RowTable, storedAt: number): RowSet {
    const rowSet = createLocalRowSet(table, storedAt, views, (order, positions) => {
      const ttlMs = Math.floor(leftMs({ storedAt }));
      if (shared === undefined || ttlMs <= 0) return;
      tasks.run((signal) => shared.addOrder(key, order, { table, storedAt, ttlMs, positions }, signal));
    });
    return keep(key, rowSet);
  }

  /** The fleet's row set, where it lives and is newer than `than`. @throws where Redis does not answer */
  async function newerOf(key: string, than: number): Promise<RowSet | undefined> {
    const head = await shared?.current(key);
    if (shared === undefined || head === undefined || head.storedAt <= than) return undefined;
    if (leftMs(head) <= 0 || head.bytes > budget.bytes) return undefined;
    return createSharedRowSet({
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
    /** What is known, or has become known to the fleet; `undefined` where nothing lives. */
    async find(key: string): Promise<KnownRowSet | undefined> {
      const known = kept.get(key);
      const alive = isAlive(known) ? known : undefined;
      if (alive !== undefined && clock.monotonic() - alive.checkedAt < CHECK_MS) return alive;
      if (alive !== undefined) alive.checkedAt = clock.monotonic();
      const newer = await newerOf(key, alive?.rowSet.storedAt ?? -Infinity).catch(() => undefined);
      if (newer === undefined) return alive;
      keep(key, newer);
      return kept.get(key);
    },
    /** Forgets a row set, unless another one has taken its place. */
    drop(key: string, known: KnownRowSet): void {
      if (kept.get(key) === known) kept.delete(key);
    },
    postponeRefresh(known: KnownRowSet): void {
      known.refreshAt = clock.now() + lifeMs * RETRY_AFTER;
    },
  };
}
