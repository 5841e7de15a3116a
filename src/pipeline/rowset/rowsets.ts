import type { ScanPlan } from '../../source/adapter/plan/plan.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { timed } from '../../telemetry/requests/step-times.ts';
import type { RowSet, Selected, Selection } from '../../store/rowset/local-rowset.ts';
import type { RedisRowSets } from '../../store/rowset/redis-rowsets.ts';
import { createKnownRowSets, type KnownRowSet } from './known-rowsets.ts';
import { isPlanFailure, type PlanFailure } from '../reading/windows/plan-failure.ts';
import type { PageRange } from '../reading/pages/read-page.ts';
import { notScanned } from '../reading/windows/scan-faults.ts';
import { createRowSetScans } from './scan-rowset.ts';
import type { CallContext, SourceRuntime } from '../reading/windows/source-runtime.ts';

/** Rows of a row set as an answer needs them. */
export type RowSetPage = Selected & {
  /** When the scan began, milliseconds since the epoch. */
  readonly storedAt: number;
  /** How old an answer made of them may become before the row set is looked at again. */
  readonly freshSeconds: number;
};

/** Serves any page, order and selection from one scan for as long as its row set lives. */
export type RowSets = {
  /** With `newerThan`, of rows that were read later. @throws GatewayError */
  page(
    plan: ScanPlan,
    range: PageRange,
    context: CallContext,
    newerThan?: number,
  ): Promise<RowSetPage | PlanFailure>;
  /** Whether this process knows of a row set that lives. */
  has(plan: ScanPlan): boolean;
  /** The keys of the plans whose row sets live in this process. */
  keys(): readonly string[];
  /** When the scan of each row set that lives in this process began, milliseconds since the epoch. */
  storedTimes(): readonly number[];
  /** Ends everything under way, background scans included. */
  close(): Promise<void>;
};

/** A page of a known row set; else rows must be newer than `than`. */
type KnownPage = { readonly page: RowSetPage | undefined; readonly than: number };

/** Creates the row sets of one resource of one source. `fleet` is absent where they are not shared. */
export function createRowSets(source: SourceRuntime, fleet: RedisRowSets | undefined): RowSets {
  const { clock } = source;
  const tasks = createBackgroundTasks();
  const known = createKnownRowSets(source, fleet, tasks);
  const scans = createRowSetScans(source, known, tasks);
  const flights = createSingleFlight<RowSet | PlanFailure>();

  /** Scans in the background, once at a time. */
  function refresh(plan: ScanPlan, stale: KnownRowSet): void {
    known.postponeRefresh(stale);
    const { storedAt } = stale.rowSet;
    tasks.run((signal) =>
      flights.run(plan.key, signal, (shared) => {
        const usage = { upstreamCalls: 0, upstreamMs: 0 };
        return scans.obtain(plan, { signal: shared, usage }, storedAt);
      }),
    );
  }

  async function pageOf(
    rowSet: RowSet,
    selection: Selection,
    signal: AbortSignal,
  ): Promise<RowSetPage | undefined> {
    const selected = await rowSet.select(selection, signal);
    const { storedAt } = rowSet;
    return selected && { ...selected, storedAt, freshSeconds: known.freshSecondsOf(rowSet) };
  }

  /** A page of a known row set, which is refreshed where that is due. */
  async function knownPage(
    plan: ScanPlan,
    selection: Selection,
    newerThan: number,
    { signal, mayScan = true }: Pick<CallContext, 'signal' | 'mayScan'>,
  ): Promise<KnownPage> {
    const found = await known.find(plan.key);
    signal.throwIfAborted();
    if (found === undefined || found.rowSet.storedAt <= newerThan)
      return { page: undefined, than: newerThan };
    if (mayScan && clock.now() >= found.refreshAt) refresh(plan, found);
    const page = await pageOf(found.rowSet, selection, signal);
    // Redis may have lost its rows but not its head.
    if (page === undefined) known.drop(plan.key, found);
    return { page, than: found.rowSet.storedAt };
  }

  return {
    async page(plan, { offset, limit }, context, newerThan = -Infinity) {
      const { signal, usage, priority, mayScan } = context;
      const selection = { sort: plan.sort, filters: plan.residualFilters, offset, limit };
      const { page, than } = await timed(usage.steps, 'rows', knownPage(plan, selection, newerThan, context));
      if (page !== undefined) return page;
      if (mayScan === false) throw notScanned();
      const obtain = (context: CallContext) => scans.obtain(plan, context, than);
      // Rows that another process read may be lost meanwhile; those of an own scan are here.
      const scan = (context: CallContext) => scans.take(plan, context, undefined);
      for (const work of [obtain, scan]) {
        const isShared = flights.has(plan.key);
        const scanned = flights.run(plan.key, signal, (shared) => work({ signal: shared, usage, priority }));
        const rowSet = await (isShared ? timed(usage.steps, 'shared', scanned) : scanned);
        if (isPlanFailure(rowSet)) return rowSet;
        const fresh = await pageOf(rowSet, selection, signal);
        if (fresh !== undefined) return fresh;
      }
      throw new Error('the rows of a scan of our own are gone');
    },
    has: ({ key }) => known.has(key),
    keys: () => known.alive().map(([key]) => key),
    storedTimes: () => known.alive().map(([, { rowSet }]) => rowSet.storedAt),
    close: () => tasks.close(),
  };
}
