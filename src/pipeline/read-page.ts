import { brokenFilter, compileOrder, hasDuplicates, isOrdered } from '../adapter/order.ts';
import type { PagePlan } from '../adapter/plan.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import type { Sort } from '../contract/query.ts';
import { fault } from '../errors/fault.ts';
import { checkWindow, readWindow, type WindowRows } from './read-window.ts';
import { Contradiction, type Errand, type SourceRuntime } from './source-runtime.ts';

/** A page's records and the exact number of records that match. */
export type Page = { readonly records: readonly CanonicalRecord[]; readonly total: number };

/** Row numbers beyond this are not sent: many sources keep them in 32 bits. */
const ROW_MAX = 2 ** 31 - 1;

async function totalOf(source: SourceRuntime, plan: PagePlan, errand: Errand): Promise<number> {
  const smallest = plan.window.cover(0, 1)[0] ?? plan.window.scanCall(0);
  const { rows } = await readWindow(source, plan.target, smallest, errand);
  // Only a reply that means "past the end" has no total, and the first row is past the end where there is none.
  return rows.total ?? 0;
}

function kindOf(source: SourceRuntime, sort: Sort) {
  return source.resource.itemFields.find((field) => field.name === sort.field)?.kind ?? 'text';
}

/** The guards: what the plan relied on must hold in the rows that came. @throws Contradiction */
function checkClaims(source: SourceRuntime, plan: PagePlan, records: readonly CanonicalRecord[]): void {
  const filter = brokenFilter(records, plan.filters);
  if (filter !== undefined) throw new Contradiction(filter);
  const ordered =
    plan.sort === null
      ? !hasDuplicates(records)
      : isOrdered(records, compileOrder(plan.sort, kindOf(source, plan.sort)));
  if (!ordered) throw new Contradiction(plan.relies.at(-1) ?? 'order');
}

/** Reads the windows that cover a page: the first alone, because it tells how many rows there are. */
async function readWindows(
  source: SourceRuntime,
  plan: PagePlan,
  offset: number,
  limit: number,
  errand: Errand,
) {
  const [firstCall, ...otherCalls] = plan.window.cover(offset, limit);
  if (firstCall === undefined) throw new Error('a page is covered by at least one window');
  const first = await readWindow(source, plan.target, firstCall, errand);
  const total = first.rows.total ?? (await totalOf(source, plan, errand));
  const calls = otherCalls.filter((call) => call.firstRow < total);
  const others = await Promise.all(calls.map((call) => readWindow(source, plan.target, call, errand)));
  return { windows: [first, ...others] satisfies WindowRows[], total };
}

/**
 * Reads one page straight from the source and checks everything the plan relies on.
 * @throws GatewayError, Contradiction, Moved
 */
export async function readPage(
  source: SourceRuntime,
  plan: PagePlan,
  offset: number,
  limit: number,
  errand: Errand,
): Promise<Page> {
  if (offset + limit > ROW_MAX) {
    const total = await totalOf(source, plan, errand);
    if (total <= offset) return { records: [], total };
    throw fault('scan_limit_exceeded', {
      detail: 'the page lies beyond the row numbers a source can be asked for',
    });
  }
  const { windows, total } = await readWindows(source, plan, offset, limit, errand);
  for (const window of windows) checkWindow(window, total);
  const records = windows.flatMap((window) => window.rows.records);
  checkClaims(source, plan, records);
  const start = offset - (windows[0]?.call.firstRow ?? 0);
  return { records: records.slice(start, start + limit), total };
}
