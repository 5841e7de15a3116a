import { randomBytes } from 'node:crypto';
import type { ScanPlan } from '../adapter/plan/plan.ts';
import { createSerialQueue } from '../kernel/serial-queue.ts';
import { createSingleFlight } from '../kernel/single-flight.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import type { RowTable } from '../rowset/row-table.ts';
import type { RedisRowSets } from '../rowset/redis-rowsets.ts';
import type { Lock } from '../store/distributed-lock.ts';
import { createBackgroundTasks } from '../kernel/background-tasks.ts';
import { scan } from './scan.ts';
import { createScanRight } from '../rowset/scan-lock.ts';
import { createSharedRowSet } from '../rowset/shared-rowset.ts';
import { createLocalRowSet, type Selected, type Selection, type RowSet } from '../rowset/local-rowset.ts';
import type { CallContext, SourceRuntime } from './source-runtime.ts';

/** Rows of a row set as an answer needs them. */
export type RowSetPage = Selected & {
  /** When the scan began, milliseconds since the epoch. */
  readonly storedAt: number;
  /** How old an answer made of them may become before the row set is looked at again. */
  readonly freshSeconds: number;
};

/** Serves any page, order and selection from one scan for as long as its row set lives. */
export type RowSets = {
  /** With `newerThan`, of rows that were read later. @throws GatewayError, Contradiction, Moved, Gone */
  page(
    plan: ScanPlan,
    offset: number,
    limit: number,
    context: CallContext,
    newerThan?: number,
  ): Promise<RowSetPage>;
  /** Whether this process knows of a row set that lives. */
  has(plan: ScanPlan): boolean;
  /** Ends everything under way, scans behind the readers' backs included. */
  close(): Promise<void>;
};

/** What this process knows of the row set of one scan. */
type Known = { readonly rowSet: RowSet; checkedAt: number; refreshAt: number };

/** Row sets of one resource take at most this many times its scan budget of this process' memory. */
const ROW_SETS_MAX = 4;
/** How long this process may go without asking whether the fleet has a newer row set. */
const CHECK_MS = 1_000;
/** From this part of its life on, a row set that is used is replaced behind the reader's back. */
const REFRESH_AT = 2 / 3;
/** The part of a life that passes before a refresh that failed is tried again. */
const RETRY_AFTER = 1 / 10;

/** Creates the row sets of one resource of one source. `fleet` is absent where they are not shared. */
export function createRowSets(source: SourceRuntime, fleet: RedisRowSets | undefined): RowSets {
  const { clock, budget, resource } = source;
  const lifeMs = budget.snapshot * 1_000;
  const shared = lifeMs > 0 ? fleet : undefined;
  const kept = createBoundedMap<Known>(budget.bytes * ROW_SETS_MAX, ({ rowSet }) => rowSet.bytes);
  const flights = createSingleFlight<RowSet>();
  const tasks = createBackgroundTasks();
  const views = {
    kinds: new Map(resource.itemFields.map((field) => [field.name, field.kind])),
    serialQueue: createSerialQueue(),
  };

  /** A clock that jumped must not make a row set live longer than it was meant to. */
  function leftMs({ storedAt }: { readonly storedAt: number }): number {
    return Math.min(storedAt + lifeMs - clock.now(), lifeMs);
  }

  function keep(key: string, rowSet: RowSet): RowSet {
    const refreshAt = rowSet.storedAt + lifeMs * REFRESH_AT;
    // Each purge begins new keys, and what was kept under those before has no further use.
    kept.evictExpired();
    kept.set(key, { rowSet, checkedAt: clock.monotonic(), refreshAt }, leftMs(rowSet));
    return rowSet;
  }

  function localOf(key: string, table: RowTable, storedAt: number): RowSet {
    return createLocalRowSet(table, storedAt, views, (order, positions) => {
      const ttlMs = Math.floor(leftMs({ storedAt }));
      if (shared === undefined || ttlMs <= 0) return;
      tasks.run((signal) => shared.addOrder(key, order, { table, storedAt, ttlMs, positions }, signal));
    });
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
        return table && keep(key, localOf(key, table, head.storedAt));
      },
    });
  }

  /** What is known, or has become known to the fleet; `undefined` where nothing lives. */
  async function find(key: string): Promise<Known | undefined> {
    const known = kept.get(key);
    const alive = known !== undefined && leftMs(known.rowSet) > 0 ? known : undefined;
    if (alive !== undefined && clock.monotonic() - alive.checkedAt < CHECK_MS) return alive;
    if (alive !== undefined) alive.checkedAt = clock.monotonic();
    const newer = await newerOf(key, alive?.rowSet.storedAt ?? -Infinity).catch(() => undefined);
    if (newer === undefined) return alive;
    keep(key, newer);
    return kept.get(key);
  }

  /** Scans, and shares what it has read behind the reader's back. */
  async function take(plan: ScanPlan, context: CallContext, lock: Lock | undefined): Promise<RowSet> {
    const storedAt = clock.now();
    const name = randomBytes(12).toString('base64url');
    let publishing = false;
    try {
      const table = await tasks.within(context.signal, (signal) =>
        scan(source, plan, name, { ...context, signal }),
      );
      const rowSet = keep(plan.key, localOf(plan.key, table, storedAt));
      const ttlMs = Math.floor(leftMs(rowSet));
      if (shared !== undefined && lock !== undefined && ttlMs > 0) {
        publishing = true;
        tasks.run(async (signal) => {
          await shared
            .publish(plan.key, lock, { table, storedAt, ttlMs }, signal)
            .finally(() => lock.release());
        });
      }
      return rowSet;
    } finally {
      if (!publishing && lock !== undefined) tasks.run(() => lock.release());
    }
  }

  const right = shared && createScanRight({ shared, clock, lifeMs, patienceMs: budget.time, newerOf });

  /** A row set newer than `than`: the fleet's, or one of our own scan. */
  async function obtain(plan: ScanPlan, context: CallContext, than: number): Promise<RowSet> {
    if (right === undefined) return take(plan, context, undefined);
    const got = await tasks.within(context.signal, (signal) => right(plan.key, than, signal));
    return got.rowSet === undefined ? take(plan, context, got.lock) : keep(plan.key, got.rowSet);
  }

  function refresh(plan: ScanPlan, known: Known): void {
    known.refreshAt = clock.now() + lifeMs * RETRY_AFTER;
    const { storedAt } = known.rowSet;
    tasks.run((signal) =>
      flights.run(plan.key, signal, (waited) => {
        const usage = { upstreamCalls: 0, upstreamMs: 0 };
        return obtain(plan, { signal: waited, usage }, storedAt);
      }),
    );
  }

  /** An answer grows old before its row set does: whoever asks then has the row set replaced in time. */
  function freshSecondsOf({ storedAt }: RowSet): number {
    const first = Math.ceil(budget.snapshot * REFRESH_AT);
    return clock.now() - storedAt < first * 1_000 ? first : budget.snapshot;
  }

  async function pageOf(rowSet: RowSet, selection: Selection, signal: AbortSignal) {
    const selected = await rowSet.select(selection, signal);
    const { storedAt } = rowSet;
    return selected && { ...selected, storedAt, freshSeconds: freshSecondsOf(rowSet) };
  }

  /** A page of what is known, which is refreshed where that is due; `undefined` where nothing is, or it is lost. */
  async function knownPage(
    plan: ScanPlan,
    selection: Selection,
    newerThan: number | undefined,
    signal: AbortSignal,
  ) {
    const known = await find(plan.key);
    signal.throwIfAborted();
    const isOld = newerThan !== undefined && (known?.rowSet.storedAt ?? -Infinity) <= newerThan;
    if (known === undefined || isOld) return { than: newerThan ?? -Infinity };
    if (clock.now() >= known.refreshAt) refresh(plan, known);
    const page = await pageOf(known.rowSet, selection, signal);
    // Redis may have lost its rows but not its head.
    if (page === undefined && kept.get(plan.key) === known) kept.delete(plan.key);
    return { page, than: known.rowSet.storedAt };
  }

  return {
    async page(plan, offset, limit, { signal, usage }, newerThan) {
      const selection = { sort: plan.sort, filters: plan.residualFilters, offset, limit };
      const { page, than } = await knownPage(plan, selection, newerThan, signal);
      if (page !== undefined) return page;
      const ways = [
        (waited: CallContext) => obtain(plan, waited, than),
        (waited: CallContext) => take(plan, waited, undefined),
      ];
      for (const way of ways) {
        const rowSet = await flights.run(plan.key, signal, (waited) => way({ signal: waited, usage }));
        const fresh = await pageOf(rowSet, selection, signal);
        if (fresh !== undefined) return fresh;
      }
      throw new Error('the rows of a scan of our own are gone');
    },
    has({ key }) {
      const known = kept.get(key);
      return known !== undefined && leftMs(known.rowSet) > 0;
    },
    close: () => tasks.close(),
  };
}
