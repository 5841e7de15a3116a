// Serves pages from the rows of a scan, which are kept for later queries (`budget.snapshot`).

import type { ScanPlan } from '../../source/adapter/plan/plan.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { timed } from '../../telemetry/requests/request-timings.ts';
import type { ScanCache, Selected, Selection } from '../../store/scan-cache/local-scan-cache.ts';
import type { RedisScanCaches } from '../../store/scan-cache/redis-scan-caches.ts';
import { createKnownScanCaches, type KnownScanCache } from './known-scan-caches.ts';
import { isPlanFailure, type PlanFailure } from '../reading/windows/plan-failure.ts';
import type { PageRange } from '../reading/pages/read-page.ts';
import { notScanned } from '../reading/windows/scan-faults.ts';
import { createScanCacheFills } from './obtain-scan-cache.ts';
import type { CallContext, SourceRuntime } from '../reading/windows/source-runtime.ts';

/** A page that was taken from a scan cache. */
export type ScanCachePage = Selected & {
  /** When the scan began, milliseconds since the epoch. */
  readonly storedAt: number;
  /** How many seconds an answer with this page is fresh. */
  readonly freshSeconds: number;
};

/** The scan caches of one resource. Any page, order and selection is served from one scan, as long as its cache lives. */
export type ScanCaches = {
  /** A page, after a scan if no scan cache lives. With `newerThan`, the scan must be newer. @throws GatewayError */
  page(
    plan: ScanPlan,
    range: PageRange,
    context: CallContext,
    newerThan?: number,
  ): Promise<ScanCachePage | PlanFailure>;
  /** Whether this process knows a living scan cache for a plan. */
  has(plan: ScanPlan): boolean;
  /** The keys of the plans whose scan caches live in this process. */
  keys(): readonly string[];
  /** When the scan of each scan cache that lives in this process began, milliseconds since the epoch. */
  storedTimes(): readonly number[];
  /** Ends all work, background scans included. */
  close(): Promise<void>;
};

/** A page of a known scan cache. If there is none, a scan must be newer than `newerThan`. */
type KnownPage = { readonly page: ScanCachePage | undefined; readonly newerThan: number };

/** Creates the scan caches of one resource of one source. `fleet` is absent if scan caches are not shared. */
export function createScanCaches(source: SourceRuntime, fleet: RedisScanCaches | undefined): ScanCaches {
  const { clock } = source;
  const tasks = createBackgroundTasks();
  const known = createKnownScanCaches(source, fleet, tasks);
  const scans = createScanCacheFills(source, known, tasks);
  const flights = createSingleFlight<ScanCache | PlanFailure>();

  /** Refreshes a scan cache in the background, once at a time. */
  function refresh(plan: ScanPlan, stale: KnownScanCache): void {
    known.postponeRefresh(stale);
    const { storedAt } = stale.scanCache;
    tasks.run((signal) =>
      flights.run(plan.key, signal, (shared) => {
        const usage = { upstreamCalls: 0, upstreamMs: 0 };
        return scans.obtain(plan, { signal: shared, usage }, storedAt);
      }),
    );
  }

  async function pageOf(
    scanCache: ScanCache,
    selection: Selection,
    signal: AbortSignal,
  ): Promise<ScanCachePage | undefined> {
    const selected = await scanCache.select(selection, signal);
    const { storedAt } = scanCache;
    return selected && { ...selected, storedAt, freshSeconds: known.freshSecondsOf(scanCache) };
  }

  /** Takes a page from a known scan cache, and refreshes that cache if it is due. */
  async function knownPage(
    plan: ScanPlan,
    selection: Selection,
    newerThan: number,
    { signal, mayScan = true }: Pick<CallContext, 'signal' | 'mayScan'>,
  ): Promise<KnownPage> {
    const found = await known.find(plan.key);
    signal.throwIfAborted();
    if (found === undefined || found.scanCache.storedAt <= newerThan) return { page: undefined, newerThan };
    if (mayScan && clock.now() >= found.refreshAt) refresh(plan, found);
    const page = await pageOf(found.scanCache, selection, signal);
    // Redis may have lost the rows although it still has the head of the scan cache.
    if (page === undefined) known.drop(plan.key, found);
    return { page, newerThan: found.scanCache.storedAt };
  }

  return {
    async page(plan, { offset, limit }, context, newerThan = -Infinity) {
      const { signal, usage, priority, mayScan } = context;
      const selection = { sort: plan.sort, filters: plan.residualFilters, offset, limit };
      const { page, newerThan: stale } = await timed(
        usage.timings,
        'rows',
        knownPage(plan, selection, newerThan, context),
      );
      if (page !== undefined) return page;
      if (mayScan === false) throw notScanned();
      const obtain = (context: CallContext) => scans.obtain(plan, context, stale);
      // Rows that another process published may be lost. Then this process scans itself, because its own rows cannot be.
      const scan = (context: CallContext) => scans.scanNow(plan, context, undefined);
      for (const work of [obtain, scan]) {
        const isShared = flights.has(plan.key);
        const scanned = flights.run(plan.key, signal, (shared) => work({ signal: shared, usage, priority }));
        const scanCache = await (isShared ? timed(usage.timings, 'shared', scanned) : scanned);
        if (isPlanFailure(scanCache)) return scanCache;
        const fresh = await pageOf(scanCache, selection, signal);
        if (fresh !== undefined) return fresh;
      }
      throw new Error('the rows of a scan of our own are gone');
    },
    has: ({ key }) => known.has(key),
    keys: () => known.alive().map(([key]) => key),
    storedTimes: () => known.alive().map(([, { scanCache }]) => scanCache.storedAt),
    close: () => tasks.close(),
  };
}
