// Compares the total of a filtered list with a cached scan of the whole list, to notice filters that lose rows.

import type { ListPlan, ScanPlan } from '../../source/adapter/plan/plan.ts';
import { filtersKey, type ListQuery } from '../../contract/query.ts';
import { filterClaimsOf } from '../reading/pages/next-attempt.ts';
import { isPlanFailure, type PlanFailure } from '../reading/windows/plan-failure.ts';
import { type Page, readPage } from '../reading/pages/read-page.ts';
import type { ScanCachePage, ScanCaches } from './scan-caches.ts';
import { type CallContext, disableClaim, type SourceRuntime } from '../reading/windows/source-runtime.ts';
import { undefinedIfFailed } from '../reading/windows/verifications.ts';
import type { Walker } from '../reading/pages/walk-page.ts';

/** The pause between comparisons of one selection, and of any selection of a resource. */
const COMPARE_MS = 60_000;
const COMPARE_ANY_MS = 10_000;
/** The most matching rows of two scans that are compared by id. If there are more, the rest is compared by number only. */
const COMPARED_MAX = 5_000;

type Readers = { readonly source: SourceRuntime; readonly scanCaches: ScanCaches; readonly walk: Walker };
type FilteredPage = { readonly query: ListQuery; readonly plan: ListPlan; readonly total: number };

const NO_ROWS = { offset: 0, limit: 0 };

const idsOf = ({ records }: ScanCachePage) => records.map(({ id }) => id).join(' ');

/** Reads the first row of a plan again, for its total. */
async function readAgain(
  { source, scanCaches, walk }: Readers,
  plan: Exclude<ListPlan, { kind: 'nothing' }>,
  context: CallContext,
): Promise<Page | PlanFailure> {
  const range = { offset: 0, limit: 1 };
  if (plan.kind === 'page') return readPage(source, plan, range, context);
  const walked =
    plan.cursorPlan && !scanCaches.has(plan) ? await walk(plan.cursorPlan, range, context) : undefined;
  return walked ?? scanCaches.page(plan, range, context, source.clock.now() - 1);
}

/**
 * Whether a filtered list leaves rows out: then the result has its total and the number of matching rows in a scan. The
 * scan before and the scan after it must agree, so that no write explains the difference. If the filtered list has more
 * rows than the scan, nothing is proven, because the scan may lack some.
 */
async function contradictingTotals(
  scan: () => Promise<ScanCachePage | PlanFailure>,
  filtered: () => Promise<Page | PlanFailure>,
): Promise<{ readonly told: number; readonly scanned: number } | undefined> {
  const before = await scan();
  if (isPlanFailure(before)) return undefined;
  const again = await filtered();
  if (isPlanFailure(again) || again.total >= before.total) return undefined;
  const after = await scan();
  if (isPlanFailure(after) || after.storedAt <= before.storedAt || after.total !== before.total)
    return undefined;
  return idsOf(after) === idsOf(before) ? { told: again.total, scanned: before.total } : undefined;
}

/** A cached scan of the whole list, and how many of its rows match the filters. */
type ScanCount = { readonly scan: ScanPlan; readonly name: string; readonly total: number };

/** Counts matching rows in a cached scan of the whole list; `undefined` if there is none, or it was just done. */
export async function countInScan(
  { source, scanCaches }: Readers,
  { query, plan }: Omit<FilteredPage, 'total'>,
  context: CallContext,
): Promise<ScanCount | undefined> {
  const { verifications } = source;
  if (verifications === undefined || scanCaches.keys().length === 0) return undefined;
  if (plan.kind === 'nothing' || plan.detailFetch === 'rows') return undefined;
  const name = `scan cache ${filtersKey(query.filters)}`;
  const filters = filterClaimsOf(plan);
  if (filters.length === 0 || verifications.isKnown(name)) return undefined;
  const off = source.claims.disabled.union(new Set(filters));
  const scan = source.adapter.list.plan({ ...query, sort: null }, off);
  if (scan.kind !== 'scan' || !scanCaches.has(scan)) return undefined;
  const inMemory = { ...context, mayScan: false };
  const cached = await undefinedIfFailed(context, () => scanCaches.page(scan, NO_ROWS, inMemory));
  return cached === undefined || isPlanFailure(cached) ? undefined : { scan, name, total: cached.total };
}

/**
 * Compares the total of a filtered page with the number of matching rows in a scan. If the total is lower, both are read
 * again. If they still differ, and the list has not changed meanwhile, the claims of the filters are disabled. Failures of
 * the source prove nothing. A caller waits for the two scans only for a moment, because a deleted row causes them, too.
 */
export async function verifyAgainstScan(
  readers: Readers,
  { plan, total }: Pick<FilteredPage, 'plan' | 'total'>,
  counted: ScanCount,
  context: CallContext,
): Promise<void> {
  const { source, scanCaches } = readers;
  const { verifications, takeTurn, clock } = source;
  const { scan, name } = counted;
  const differs = counted.total > total;
  if (differs && !((await takeTurn?.('scan cache', COMPARE_ANY_MS)) && (await takeTurn?.(name, COMPARE_MS))))
    return;
  verifications?.know(name);
  if (!differs || plan.kind === 'nothing') return;
  await verifications?.attempt(async (signal) => {
    const within = { ...context, signal };
    const found = await contradictingTotals(
      () => scanCaches.page(scan, { offset: 0, limit: COMPARED_MAX }, within, clock.now() - 1),
      () => readAgain(readers, plan, within),
    );
    if (found === undefined) return;
    const detail = `the total is ${found.told} with the filter, and a scan has ${found.scanned} such rows`;
    for (const one of filterClaimsOf(plan)) disableClaim(source, one, detail);
  });
}
