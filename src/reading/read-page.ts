import { brokenFilter, hasDuplicates, isOrdered } from '../adapter/plan/check-records.ts';
import { compileOrder } from '../contract/order.ts';
import type { PagePlan } from '../adapter/plan/plan.ts';
import type { WindowCall } from '../adapter/plan/window.ts';
import type { CanonicalRecord } from '../contract/response-body.ts';
import type { Sort } from '../contract/query.ts';
import { fault, GatewayError } from '../errors/fault.ts';
import type { UpstreamRequest } from '../kernel/upstream-call.ts';
import { checkWindow, readWindow, type WindowRows } from './read-window.ts';
import { Contradiction, type CallContext, OnlyBound, type SourceRuntime } from './source-runtime.ts';
import { allOrAbort } from './all-or-abort.ts';

/** A page's records and the exact number of records that match. */
export type Page = { readonly records: readonly CanonicalRecord[]; readonly total: number };

/** Pages beyond this are not asked for blindly: many sources keep row numbers in 32 bits. */
const ROW_MAX = 2 ** 31 - 1;

/** The window that is asked for only because it tells the total. */
export function totalWindow({ window }: PagePlan): WindowCall {
  return window.cover(0, 1)[0] ?? window.scanCall(0);
}

/** Whether rows lie beyond the reach of a page's source, as far as is known without its total. */
function liesTooFar({ window }: PagePlan, offset: number, limit: number): boolean {
  return offset + limit > Math.min(window.depthMax, ROW_MAX);
}

/** Whether the total must be known before a page may be asked for: there may be no such rows. */
export function asksTotalFirst(plan: PagePlan, offset: number, limit: number): boolean {
  return liesTooFar(plan, offset, limit) || (offset > 0 && !plan.window.endsEmpty);
}

/** The total that a count request tells; `undefined` where it cannot be read, or is only a bound. */
export async function totalOfCount(
  source: SourceRuntime,
  count: UpstreamRequest,
  context: CallContext,
): Promise<number | undefined> {
  const { readCount } = source.adapter.list;
  const { signal, usage, priority } = context;
  return source.upstream.ask(count, readCount, signal, usage, priority).catch(untold(source));
}

/** The total of a plan, from its count request or from the first window. */
async function totalOf(source: SourceRuntime, plan: PagePlan, context: CallContext): Promise<number> {
  if (plan.count !== undefined) return exact(await totalOfCount(source, plan.count, context));
  const window = await readWindow(source, plan.request, totalWindow(plan), context);
  // The first row is past the end where there is none, and some replies that say so have no total.
  const { received } = window.rows;
  const isEmpty = received === 0 && window.rows.isTotalLost !== true;
  const total = exact(window.rows.total ?? (isEmpty ? 0 : undefined));
  checkWindow(window, total);
  return total;
}

/** A number that cannot be read is as if it were not told: the rows can still be counted. */
function untold({ observer }: SourceRuntime) {
  return (error: unknown): undefined => {
    if (!(error instanceof GatewayError) || error.reason !== 'total') throw error;
    observer.fieldGap('total', 'unreadable');
  };
}

/** A source that says "at least so many" leaves only the counting of its rows. @throws OnlyBound */
function exact(total: number | undefined): number {
  if (total === undefined) throw new OnlyBound();
  return total;
}

function kindOf(source: SourceRuntime, sort: Sort) {
  return source.resource.itemFields.find((field) => field.name === sort.field)?.kind ?? 'text';
}

/** The guards: what the plan relied on must hold in the rows that came. @throws Contradiction */
export function checkClaims(
  source: SourceRuntime,
  plan: Pick<PagePlan, 'filters' | 'sort' | 'relies'>,
  records: readonly CanonicalRecord[],
): void {
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
  context: CallContext,
) {
  const [firstCall, ...otherCalls] = plan.window.cover(offset, limit);
  if (firstCall === undefined) throw new Error('a page is covered by at least one window');
  const first = await readWindow(source, plan.request, firstCall, context);
  const total = first.rows.total ?? (await totalOf(source, plan, context));
  const { endsEmpty, depthMax } = plan.window;
  // A window right behind the last row costs a call, but shows that the total is not too small.
  const end = endsEmpty && total < depthMax ? total : total - 1;
  const calls = otherCalls.filter((call) => call.firstRow <= end);
  if (calls.length === 0) return { windows: [first] satisfies WindowRows[], total };
  const others = await allOrAbort(context, (within) =>
    calls.map((call) => readWindow(source, plan.request, call, within)),
  );
  return { windows: [first, ...others] satisfies WindowRows[], total };
}

/**
 * A page that is empty shows nothing of what it relies on: the total may count rows that do not match, or be 0 only
 * because nothing came. So the last rows that the total says there are must come, as it says. Without filters, a total
 * of some rows is what the pages before the end are held to.
 */
async function checkEmpty(
  source: SourceRuntime,
  plan: PagePlan,
  total: number,
  context: CallContext,
): Promise<Page> {
  const { window, request, filters } = plan;
  if (filters.length === 0 && total > 0) return { records: [], total };
  const reach = Math.min(window.depthMax, ROW_MAX);
  if (total > reach) {
    throw fault('scan_limit_exceeded', {
      detail: 'the last rows that the total counts lie beyond those that the source lets be reached',
    });
  }
  const full = Math.floor(total / window.scanSize);
  // Where the last window is full, only the empty one behind it shows that the total is not too small.
  const isEndSeen = total >= reach || !window.endsEmpty || total % window.scanSize !== 0;
  const last = total < reach && total % window.scanSize !== 0 ? full : Math.max(0, full - 1);
  for (const index of isEndSeen || total === 0 ? [last] : [last, last + 1]) {
    const rows = await readWindow(source, request, window.scanCall(index), context);
    checkWindow(rows, total);
    checkClaims(source, plan, rows.rows.records);
  }
  return { records: [], total };
}

/**
 * Reads one page straight from the source and checks everything the plan relies on.
 * @throws GatewayError, Contradiction, Moved, OnlyBound
 */
export async function readPage(
  source: SourceRuntime,
  plan: PagePlan,
  offset: number,
  limit: number,
  context: CallContext,
): Promise<Page> {
  if (asksTotalFirst(plan, offset, limit)) {
    const total = await totalOf(source, plan, context);
    if (offset > 0 && total <= offset) return checkEmpty(source, plan, total, context);
    if (liesTooFar(plan, offset, limit) && total > plan.window.depthMax) {
      throw fault('scan_limit_exceeded', {
        detail: 'the page lies beyond the rows that the source lets be reached',
      });
    }
  }
  const { windows, total } = await readWindows(source, plan, offset, limit, context);
  for (const window of windows) checkWindow(window, total);
  const records = windows.flatMap((window) => window.rows.records);
  if (offset > 0 && records.length === 0) return checkEmpty(source, plan, total, context);
  checkClaims(source, plan, records);
  const start = offset - (windows[0]?.call.firstRow ?? 0);
  return { records: records.slice(start, start + limit), total };
}
