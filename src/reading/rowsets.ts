import { randomBytes } from 'node:crypto';
import type { ScanPlan } from '../adapter/plan/plan.ts';
import { createInTurn } from '../kernel/serial-queue.ts';
import { createSingleFlight } from '../kernel/single-flight.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import type { RowTable } from '../rowset/row-table.ts';
import type { SharedSnapshots } from '../rowset/redis-rowsets.ts';
import type { Lease } from '../store/distributed-lock.ts';
import { createErrands } from '../kernel/background-tasks.ts';
import { scan } from './scan.ts';
import { createScanRight } from '../rowset/scan-lock.ts';
import { createSharedSnapshot } from '../rowset/shared-rowset.ts';
import { createLocalSnapshot, type Selected, type Selection, type Snapshot } from '../rowset/local-rowset.ts';
import type { Errand, SourceRuntime } from './source-runtime.ts';

/** Rows of a snapshot as an answer needs them. */
export type SnapshotPage = Selected & {
  /** When the scan began, milliseconds since the epoch. */
  readonly storedAt: number;
  /** How old an answer made of them may become before the snapshot is looked at again. */
  readonly freshSeconds: number;
};

/** Serves any page, order and selection from one scan for as long as its snapshot lives. */
export type Snapshots = {
  /** With `newerThan`, of rows that were read later. @throws GatewayError, Contradiction, Moved, Gone */
  page(
    plan: ScanPlan,
    offset: number,
    limit: number,
    errand: Errand,
    newerThan?: number,
  ): Promise<SnapshotPage>;
  /** Whether this process knows of a snapshot that lives. */
  has(plan: ScanPlan): boolean;
  /** Ends everything under way, scans behind the readers' backs included. */
  close(): Promise<void>;
};

/** What this process knows of the snapshot of one scan. */
type Known = { readonly snapshot: Snapshot; checkedAt: number; refreshAt: number };

/** Snapshots of one resource take at most this many times its scan budget of this process' memory. */
const SNAPSHOTS_MAX = 4;
/** How long this process may go without asking whether the fleet has a newer snapshot. */
const CHECK_MS = 1_000;
/** From this part of its life on, a snapshot that is used is replaced behind the reader's back. */
const REFRESH_AT = 2 / 3;
/** The part of a life that passes before a refresh that failed is tried again. */
const RETRY_AFTER = 1 / 10;

/** Creates the snapshots of one resource of one source. `fleet` is absent where they are not shared. */
export function createSnapshots(source: SourceRuntime, fleet: SharedSnapshots | undefined): Snapshots {
  const { clock, budget, resource } = source;
  const lifeMs = budget.snapshot * 1_000;
  const shared = lifeMs > 0 ? fleet : undefined;
  const kept = createBoundedMap<Known>(budget.bytes * SNAPSHOTS_MAX, ({ snapshot }) => snapshot.bytes);
  const flights = createSingleFlight<Snapshot>();
  const errands = createErrands();
  const views = {
    kinds: new Map(resource.itemFields.map((field) => [field.name, field.kind])),
    inTurn: createInTurn(),
  };

  /** A clock that jumped must not make a snapshot live longer than it was meant to. */
  function leftMs({ storedAt }: { readonly storedAt: number }): number {
    return Math.min(storedAt + lifeMs - clock.now(), lifeMs);
  }

  function keep(key: string, snapshot: Snapshot): Snapshot {
    const refreshAt = snapshot.storedAt + lifeMs * REFRESH_AT;
    // Each purge begins new keys, and what was kept under those before has no further use.
    kept.letExpiredGo();
    kept.set(key, { snapshot, checkedAt: clock.monotonic(), refreshAt }, leftMs(snapshot));
    return snapshot;
  }

  function localOf(key: string, table: RowTable, storedAt: number): Snapshot {
    return createLocalSnapshot(table, storedAt, views, (order, positions) => {
      const ttlMs = Math.floor(leftMs({ storedAt }));
      if (shared === undefined || ttlMs <= 0) return;
      errands.run((signal) => shared.addOrder(key, order, { table, storedAt, ttlMs, positions }, signal));
    });
  }

  /** The fleet's snapshot, where it lives and is newer than `than`. @throws where Redis does not answer */
  async function newerOf(key: string, than: number): Promise<Snapshot | undefined> {
    const head = await shared?.current(key);
    if (shared === undefined || head === undefined || head.storedAt <= than) return undefined;
    if (leftMs(head) <= 0 || head.bytes > budget.bytes) return undefined;
    return createSharedSnapshot({
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
    const alive = known !== undefined && leftMs(known.snapshot) > 0 ? known : undefined;
    if (alive !== undefined && clock.monotonic() - alive.checkedAt < CHECK_MS) return alive;
    if (alive !== undefined) alive.checkedAt = clock.monotonic();
    const newer = await newerOf(key, alive?.snapshot.storedAt ?? -Infinity).catch(() => undefined);
    if (newer === undefined) return alive;
    keep(key, newer);
    return kept.get(key);
  }

  /** Scans, and shares what it has read behind the reader's back. */
  async function take(plan: ScanPlan, errand: Errand, lease: Lease | undefined): Promise<Snapshot> {
    const storedAt = clock.now();
    const name = randomBytes(12).toString('base64url');
    let publishing = false;
    try {
      const table = await errands.within(errand.signal, (signal) =>
        scan(source, plan, name, { ...errand, signal }),
      );
      const snapshot = keep(plan.key, localOf(plan.key, table, storedAt));
      const ttlMs = Math.floor(leftMs(snapshot));
      if (shared !== undefined && lease !== undefined && ttlMs > 0) {
        publishing = true;
        errands.run(async (signal) => {
          await shared
            .publish(plan.key, lease, { table, storedAt, ttlMs }, signal)
            .finally(() => lease.release());
        });
      }
      return snapshot;
    } finally {
      if (!publishing && lease !== undefined) errands.run(() => lease.release());
    }
  }

  const right = shared && createScanRight({ shared, clock, lifeMs, patienceMs: budget.time, newerOf });

  /** A snapshot newer than `than`: the fleet's, or one of our own scan. */
  async function obtain(plan: ScanPlan, errand: Errand, than: number): Promise<Snapshot> {
    if (right === undefined) return take(plan, errand, undefined);
    const got = await errands.within(errand.signal, (signal) => right(plan.key, than, signal));
    return got.snapshot === undefined ? take(plan, errand, got.lease) : keep(plan.key, got.snapshot);
  }

  function refresh(plan: ScanPlan, known: Known): void {
    known.refreshAt = clock.now() + lifeMs * RETRY_AFTER;
    const { storedAt } = known.snapshot;
    errands.run((signal) =>
      flights.run(plan.key, signal, (waited) => {
        const meter = { upstreamCalls: 0, upstreamMs: 0 };
        return obtain(plan, { signal: waited, meter }, storedAt);
      }),
    );
  }

  /** An answer grows old before its snapshot does: whoever asks then has the snapshot replaced in time. */
  function freshSecondsOf({ storedAt }: Snapshot): number {
    const first = Math.ceil(budget.snapshot * REFRESH_AT);
    return clock.now() - storedAt < first * 1_000 ? first : budget.snapshot;
  }

  async function pageOf(snapshot: Snapshot, selection: Selection, signal: AbortSignal) {
    const selected = await snapshot.select(selection, signal);
    const { storedAt } = snapshot;
    return selected && { ...selected, storedAt, freshSeconds: freshSecondsOf(snapshot) };
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
    const isOld = newerThan !== undefined && (known?.snapshot.storedAt ?? -Infinity) <= newerThan;
    if (known === undefined || isOld) return { than: newerThan ?? -Infinity };
    if (clock.now() >= known.refreshAt) refresh(plan, known);
    const page = await pageOf(known.snapshot, selection, signal);
    // Redis may have lost its rows but not its head.
    if (page === undefined && kept.get(plan.key) === known) kept.delete(plan.key);
    return { page, than: known.snapshot.storedAt };
  }

  return {
    async page(plan, offset, limit, { signal, meter }, newerThan) {
      const selection = { sort: plan.sort, filters: plan.residualFilters, offset, limit };
      const { page, than } = await knownPage(plan, selection, newerThan, signal);
      if (page !== undefined) return page;
      const ways = [
        (waited: Errand) => obtain(plan, waited, than),
        (waited: Errand) => take(plan, waited, undefined),
      ];
      for (const way of ways) {
        const snapshot = await flights.run(plan.key, signal, (waited) => way({ signal: waited, meter }));
        const fresh = await pageOf(snapshot, selection, signal);
        if (fresh !== undefined) return fresh;
      }
      throw new Error('the rows of a scan of our own are gone');
    },
    has({ key }) {
      const known = kept.get(key);
      return known !== undefined && leftMs(known.snapshot) > 0;
    },
    close: () => errands.close(),
  };
}
