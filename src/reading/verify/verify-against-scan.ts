import type { ListPlan, ScanPlan } from '../../adapter/plan/plan.ts';
import { filtersKey } from '../../contract/query-key.ts';
import type { ListQuery } from '../../contract/query.ts';
import { GatewayError } from '../../errors/fault.ts';
import { isPlanFailure, type PlanFailure } from '../plan-failure.ts';
import type { Page } from '../read-page.ts';
import type { RowSetPage, RowSets } from '../rowsets/rowsets.ts';
import { type CallContext, letFall, type SourceRuntime } from '../source-runtime.ts';

/** How often one selection is looked at, and how often any of a resource. */
const LOOK_MS = 60_000;
const ANY_LOOK_MS = 10_000;
/** Matching rows of two scans that are compared one by one; of more, the others only by their number. */
const COMPARED_MAX = 5_000;

type FilteredPage = { readonly query: ListQuery; readonly plan: ListPlan; readonly total: number };

/** Reads the total of a page anew, from rows that are newer than a time. */
type ReadAgain = (newerThan: number) => Promise<Page | PlanFailure>;

const idsOf = ({ records }: RowSetPage) => records.map(({ id }) => id).join(' ');

/** The total that the filters of a page should have, where two scans around it show that it has another. */
async function contradictingScan(
  scan: () => Promise<RowSetPage | PlanFailure>,
  readAgain: () => Promise<Page | PlanFailure>,
): Promise<{ readonly scanned: number; readonly told: number } | undefined> {
  const before = await scan();
  if (isPlanFailure(before)) return undefined;
  const again = await readAgain();
  if (isPlanFailure(again) || again.total === before.total) return undefined;
  const after = await scan();
  const isSteady =
    !isPlanFailure(after) &&
    after.storedAt > before.storedAt &&
    after.total === before.total &&
    idsOf(after) === idsOf(before);
  return isSteady ? { scanned: before.total, told: again.total } : undefined;
}

/** The plan for the same page from a scan of the whole list, where this process has one that lives. */
function planOfScan(
  { adapter, claims }: SourceRuntime,
  rowSets: RowSets,
  { query, plan }: FilteredPage,
  filters: readonly string[],
): ScanPlan | undefined {
  if (plan.kind === 'nothing' || plan.hydrates === 'rows' || filters.length === 0) return undefined;
  const whole = adapter.list.plan({ ...query, sort: null }, claims.fallen.union(new Set(filters)));
  return whole.kind === 'scan' && rowSets.has(whole) ? whole : undefined;
}

/**
 * Compares the total of a filtered page with a scan of the whole list, where one lives. If they differ, both are read anew;
 * where they differ still, and the list has not changed meanwhile, the filters fall. Failures of the source show nothing.
 */
export async function verifyAgainstScan(
  source: SourceRuntime,
  rowSets: RowSets,
  page: FilteredPage,
  readAgain: ReadAgain,
  context: CallContext,
): Promise<void> {
  const { verifications, takeLook, clock } = source;
  const { query, plan, total } = page;
  if (takeLook === undefined || verifications === undefined || rowSets.keys().length === 0) return;
  const relies = plan.kind === 'nothing' ? [] : plan.relies;
  const filters = relies.filter((capability) => capability.startsWith('filter.'));
  const name = `scan cache ${filtersKey(query.filters)}`;
  const whole = verifications.isKnown(name) ? undefined : planOfScan(source, rowSets, page, filters);
  if (whole === undefined) return;
  try {
    const cached = await rowSets.page(whole, { offset: 0, limit: 0 }, { ...context, mayScan: false });
    if (isPlanFailure(cached)) return;
    const isLook = cached.total !== total;
    if (isLook && !((await takeLook('scan cache', ANY_LOOK_MS)) && (await takeLook(name, LOOK_MS)))) return;
    verifications.know(name);
    if (!isLook) return;
    const found = await contradictingScan(
      () => rowSets.page(whole, { offset: 0, limit: COMPARED_MAX }, context, clock.now() - 1),
      () => readAgain(clock.now() - 1),
    );
    const detail = `the total is ${found?.told} with the filter, and a scan has ${found?.scanned} such rows`;
    if (found !== undefined) for (const one of filters) letFall(source, one, detail);
  } catch (error) {
    if (!(error instanceof GatewayError) || context.signal.aborted) throw error;
  }
}
