// Reads one page straight from the source, by the few calls that cover it, and checks each claim that the plan uses.

import type { PagePlan } from '../../../source/adapter/plan/plan.ts';
import type { WrittenRecords } from '../../../source/adapter/map/reply-observer.ts';
import {
  joinWritten,
  sliceWritten,
  writeRecords,
} from '../../../source/adapter/row-program/written-records.ts';
import type { WindowEvidence } from '../../../source/checks/claim.ts';
import { canTie } from '../../../source/checks/ties.ts';
import { brokenTotal } from '../../../source/checks/total.ts';
import type { WindowCall } from '../../../source/adapter/plan/window.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { fault } from '../../../kernel/errors/fault.ts';
import { allOrAbort } from '../windows/all-or-abort.ts';
import { isPlanFailure, type PlanFailure, unprovenTies } from '../windows/plan-failure.ts';
import { totalOfCount, totalOfRows } from '../windows/read-total.ts';
import { isWrittenWindow, readWindow, type WrittenWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';
import { checkClaims, inOtherOrder } from '../verify/check-claims.ts';
import { settleTies, sortedListName, type SortedPlan, withBorders } from '../verify/settle-ties.ts';

/** The records of a page: as objects, or already written as the bytes of an answer. */
export type PageRecords = readonly CanonicalRecord[] | WrittenRecords;

/** The records of a page, and the exact number of records that match. */
export type Page<Records = PageRecords> = {
  readonly records: Records;
  readonly total: number;
  /** How many milliseconds the proof that these are the right rows still holds; absent: as long as the answer lives. */
  readonly provenMs?: number;
};

/** Whether the records of a page are written as bytes. */
export function isWritten(records: PageRecords): records is WrittenRecords {
  return !Array.isArray(records);
}

/** The rows of a page: the number of rows before it, and the most rows that it has. */
export type PageRange = { readonly offset: number; readonly limit: number };

/** For rows beyond this number, the total is read first, because many sources keep row numbers in 32 bits. */
const ROW_MAX = 2 ** 31 - 1;

/** The window that is asked for only because its reply has the total. */
export function totalWindow({ window }: PagePlan): WindowCall {
  return window.cover(0, 1)[0] ?? window.scanCall(0);
}

/** Whether a page may have rows that the source cannot reach, if the total is not known. */
function exceedsDepth({ window }: PagePlan, { offset, limit }: PageRange): boolean {
  return offset + limit > Math.min(window.depthMax, ROW_MAX);
}

/** Whether the total must be read before a page is asked for, because the source may not have such rows. */
export function asksTotalFirst(plan: PagePlan, range: PageRange): boolean {
  return exceedsDepth(plan, range) || (range.offset > 0 && !plan.window.endsEmpty);
}

/** Reads the total for a plan, by its count request or from the first window. */
async function readTotal(
  source: SourceRuntime,
  plan: PagePlan,
  context: CallContext,
): Promise<number | PlanFailure> {
  if (plan.count !== undefined) return totalOfCount(source, plan.count, context);
  const window = await readWindow(source, plan.request, totalWindow(plan), context);
  if (isPlanFailure(window)) return window;
  const total = totalOfRows(window.rows);
  return isPlanFailure(total) ? total : (brokenTotal(window, total) ?? total);
}

/** Whether the checks of a plan only look at the order of ids, so that no records have to be built. */
function needsNoRecords({ filters, sort, detailFetch }: PagePlan): boolean {
  const isById = sort === null || (sort.field === 'id' && !sort.descending);
  return filters.length === 0 && detailFetch === undefined && isById;
}

/** Checks the order of written records, for a plan that needs no records. */
function checkWritten(plan: PagePlan, { isAscending, tags, length }: WrittenRecords) {
  const ordered = isAscending || (plan.sort === null && new Set(tags.split(' ')).size === length);
  return ordered ? undefined : inOtherOrder(plan);
}

/** Reads the windows that cover a page. The first is read alone, because its total says how many others are needed. */
async function readWindows(
  source: SourceRuntime,
  plan: PagePlan,
  { offset, limit }: PageRange,
  context: CallContext,
): Promise<
  { readonly windows: readonly (WindowEvidence | WrittenWindow)[]; readonly total: number } | PlanFailure
> {
  const [firstCall, ...otherCalls] = plan.window.cover(offset, limit);
  if (firstCall === undefined) throw new Error('a page is covered by at least one window');
  const as = needsNoRecords(plan) ? 'written' : undefined;
  const first = await readWindow(source, plan.request, firstCall, context, as);
  if (isPlanFailure(first)) return first;
  const total = first.rows.total ?? (await readTotal(source, plan, context));
  if (isPlanFailure(total)) return total;
  const { endsEmpty, depthMax } = plan.window;
  // A window right after the last row costs a call, but it shows that the total is not too small.
  const end = endsEmpty && total < depthMax ? total : total - 1;
  const calls = otherCalls.filter((call) => call.firstRow <= end);
  if (calls.length === 0) return { windows: [first], total };
  const others = await allOrAbort(context, (within) =>
    calls.map((call) => readWindow(source, plan.request, call, within, as)),
  );
  return isPlanFailure(others) ? others : { windows: [first, ...others], total };
}

/**
 * Checks that the source gives the last rows that a total promises, and none after them, as far as rows can be reached. The
 * rows must fit the claims, too. `undefined`: all is right.
 */
export async function checkLastRows(
  source: SourceRuntime,
  plan: PagePlan,
  total: number,
  context: CallContext,
): Promise<PlanFailure | undefined> {
  const { window, request } = plan;
  const reach = Math.min(window.depthMax, ROW_MAX);
  const end = Math.min(total, reach);
  const full = Math.floor(end / window.scanSize);
  // If the last window is full, only an empty window after it shows that the total is not too small.
  const isEndSeen = total >= reach || !window.endsEmpty || end % window.scanSize !== 0;
  const last = total < reach && end % window.scanSize !== 0 ? full : Math.max(0, full - 1);
  for (const index of isEndSeen || total === 0 ? [last] : [last, last + 1]) {
    const rows = await readWindow(source, request, window.scanCall(index), context);
    if (isPlanFailure(rows)) return rows;
    const failure = brokenTotal(rows, total) ?? checkClaims(source, plan, rows.rows.records);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/**
 * Checks an empty page by reading the last rows that the total promises, because an empty page proves no claim: the total
 * may count rows that do not match, or be 0 because the reply was empty by mistake. Without filters, a total above 0 is not
 * checked here, because the pages before the end do it.
 */
async function checkEmpty(
  source: SourceRuntime,
  plan: PagePlan,
  total: number,
  context: CallContext,
): Promise<Page | PlanFailure> {
  const { window, filters } = plan;
  if (filters.length === 0 && total > 0) return { records: [], total };
  if (total > Math.min(window.depthMax, ROW_MAX)) {
    throw fault('scan_limit_exceeded', {
      detail: 'the last rows that the total counts lie beyond those that the source lets be reached',
    });
  }
  return (await checkLastRows(source, plan, total, context)) ?? { records: [], total };
}

/** Whether all windows have records, and none has only bytes. */
function haveRecords(
  windows: readonly (WindowEvidence | WrittenWindow)[],
): windows is readonly WindowEvidence[] {
  return !windows.some(isWrittenWindow);
}

/** Checks a page of which at least one window is written as bytes, and cuts the page out of its windows. */
function cutWritten(
  { resource }: SourceRuntime,
  plan: PagePlan,
  windows: readonly (WindowEvidence | WrittenWindow)[],
  { start, limit, total }: { readonly start: number; readonly limit: number; readonly total: number },
): Page | PlanFailure {
  const written = joinWritten(
    windows.map(({ rows }) => ('written' in rows ? rows.written : writeRecords(resource, rows.records))),
  );
  return checkWritten(plan, written) ?? { records: sliceWritten(written, start, start + limit), total };
}

const isSorted = (plan: PagePlan): plan is SortedPlan => canTie(plan.sort);

/** The name under which it is remembered that no reply settles the ties of a page, so it is not tried again soon. */
const tiesName = (plan: SortedPlan, { offset, limit }: PageRange) =>
  `ties ${sortedListName(plan)} ${offset} ${limit}`;

/** Puts the rows of a page in order whose sort can have ties. */
async function readSorted(
  source: SourceRuntime,
  plan: SortedPlan,
  { range, windows, total }: { range: PageRange; windows: readonly WindowEvidence[]; total: number },
  context: CallContext,
): Promise<Page | PlanFailure> {
  const { offset, limit } = range;
  const page = { from: offset, to: Math.min(offset + limit, total) };
  const settled = await settleTies(source, plan, { page, total, windows }, context);
  if (settled === unprovenTies) source.verifications?.know(tiesName(plan, range));
  return isPlanFailure(settled) ? settled : { ...settled, total };
}

/** Reads one page from the source and checks everything that the plan depends on. @throws GatewayError */
export async function readPage(
  source: SourceRuntime,
  plan: PagePlan,
  range: PageRange,
  context: CallContext,
): Promise<Page | PlanFailure> {
  const { offset, limit } = range;
  if (isSorted(plan) && source.verifications?.isKnown(tiesName(plan, range)) === true) return unprovenTies;
  if (asksTotalFirst(plan, range)) {
    const total = await readTotal(source, plan, context);
    if (isPlanFailure(total)) return total;
    if (offset > 0 && total <= offset) return checkEmpty(source, plan, total, context);
    if (exceedsDepth(plan, range) && total > plan.window.depthMax) {
      throw fault('scan_limit_exceeded', {
        detail: 'the page lies beyond the rows that the source lets be reached',
      });
    }
  }
  const sorted = isSorted(plan) ? plan : undefined;
  const read = await readWindows(source, plan, sorted ? withBorders(plan.window, range) : range, context);
  if (isPlanFailure(read)) return read;
  const { total, windows } = read;
  for (const window of windows) {
    const failure = brokenTotal(window, total);
    if (failure !== undefined) return failure;
  }
  if (offset > 0 && total <= offset) return checkEmpty(source, plan, total, context);
  const start = offset - (windows[0]?.call.firstRow ?? 0);
  if (!haveRecords(windows)) return cutWritten(source, plan, windows, { start, limit, total });
  if (sorted !== undefined) return readSorted(source, sorted, { range, windows, total }, context);
  const records = windows.flatMap((window) => window.rows.records);
  return checkClaims(source, plan, records) ?? { records: records.slice(start, start + limit), total };
}
