// Orders rows with equal sort values (ties) by id, even if such a group continues on the next page.

import type { PagePlan } from '../../../source/adapter/plan/plan.ts';
import type { RandomWindow } from '../../../source/adapter/plan/window.ts';
import type { WindowEvidence } from '../../../source/checks/claim.ts';
import {
  type KnownKeys,
  rangesToClose,
  type RowRange,
  type SortedRun,
  type SplitGroup,
  type Ties,
} from '../../../source/checks/ties.ts';
import { brokenTotal } from '../../../source/checks/total.ts';
import { hasDuplicates } from '../../../source/checks/unique-ids.ts';
import { type Sort, filtersKey } from '../../../contract/query.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { isPlanFailure, type PlanFailure, unprovenTies } from '../windows/plan-failure.ts';
import { readWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';
import { checkClaims, checkFilters, inOtherOrder, tiesOf } from './check-claims.ts';

/** A plan of a page with a sort that can have ties. */
export type SortedPlan = PagePlan & { readonly sort: Sort };

/** The rows of a sorted page. `provenMs`: how many milliseconds the proof that these are the right rows still holds. */
export type SettledRows = {
  readonly records: readonly CanonicalRecord[];
  readonly provenMs: number;
};

/** A page to be put in order: its range, the total of its list, and the windows that were read. */
type SortedPage = {
  readonly page: RowRange;
  readonly total: number;
  readonly windows: readonly WindowEvidence[];
};

const NONE: KnownKeys = new Map();

/** The most calls to read the groups of ties at both borders of a page. If more are needed, a scan is better. */
const CALLS_MAX = 8;

/**
 * The range of rows to ask for: one more row at each side of the page, if that takes no further call, because these rows
 * show whether ties cross the borders of the page.
 */
export function withBorders(window: RandomWindow, page: { readonly offset: number; readonly limit: number }) {
  const { offset, limit } = page;
  const first = Math.max(0, offset - 1);
  const wide = { offset: first, limit: offset + limit + 1 - first };
  if (offset + limit + 1 > window.depthMax) return page;
  const calls = (range: typeof page) => window.cover(range.offset, range.limit).length;
  return calls(wide) > calls(page) ? page : wide;
}

/** The name of a sorted list. Lists with equal names have the same rows in the same order. */
export const sortedListName = ({ sort, filters }: Pick<SortedPlan, 'sort' | 'filters'>): string =>
  `${sort.descending ? '-' : ''}${sort.field} ${filtersKey(filters)}`;

/** Reads more rows of a group that crosses a border; `undefined` if the source cannot give them in one reply. */
async function readMore(
  source: SourceRuntime,
  plan: SortedPlan,
  group: SplitGroup,
  { page, total }: SortedPage,
  context: CallContext,
): Promise<WindowEvidence | PlanFailure | undefined> {
  const { window, request } = plan;
  const ranges = rangesToClose(group, page, { scanSize: window.scanSize, total });
  for (const { from, to } of ranges) {
    const [call, ...others] = window.cover(from, to - from);
    if (call === undefined || others.length > 0 || call.firstRow + call.size > window.depthMax) continue;
    const read = await readWindow(source, request, call, context);
    if (isPlanFailure(read)) return read;
    return brokenTotal(read, total) ?? checkClaims(source, plan, read.rows.records) ?? read;
  }
  return undefined;
}

/** Reads until each group of ties that touches the page is complete in one of the runs (rows of one reply). */
async function closeGroups(
  source: SourceRuntime,
  plan: SortedPlan,
  sorted: SortedPage,
  { ties, runs, known }: { readonly ties: Ties; readonly runs: SortedRun[]; readonly known: KnownKeys },
  context: CallContext,
): Promise<readonly CanonicalRecord[] | PlanFailure> {
  for (let calls = 0; ; calls += 1) {
    // Remembered keys may be older than the rows that came. If they do not fit, they are left out.
    const keys = ties.keysOf(runs, known) ?? ties.keysOf(runs, NONE);
    if (keys === undefined) return inOtherOrder(plan);
    const settled = ties.settle(runs, keys, sorted.page, sorted.total);
    if ('records' in settled) return settled.records;
    const more = calls < CALLS_MAX ? await readMore(source, plan, settled.split, sorted, context) : undefined;
    if (more === undefined) return unprovenTies;
    if (isPlanFailure(more)) return more;
    runs.push(ties.runOf(more.call.firstRow, more.rows.records));
  }
}

/** Orders a page of which one window has all rows and the rows beside it; `undefined` if more has to be read. */
function settleWindow(
  plan: SortedPlan,
  { page, total }: SortedPage,
  { call, rows: { records } }: WindowEvidence,
  ties: Ties,
): SettledRows | PlanFailure | undefined {
  const settled = ties.settleAlone(ties.runOf(call.firstRow, records), page, total);
  if (settled === undefined) return undefined;
  const excluded = checkFilters(plan, records);
  if (excluded !== undefined) return excluded;
  if (settled === 'unsorted') return inOtherOrder(plan);
  return { ...settled, provenMs: Infinity };
}

/**
 * Puts the rows of a sorted page in the contract's order. That is proven if each group of ties that touches the page was
 * read completely in one reply. A group that crosses the border of the page is read by extra calls. If no reply can have
 * a whole group, the result is `unprovenTies`, and a scan is needed.
 */
export async function settleTies(
  source: SourceRuntime,
  plan: SortedPlan,
  sorted: SortedPage,
  context: CallContext,
): Promise<SettledRows | PlanFailure> {
  const { page, total, windows } = sorted;
  const ties = tiesOf(source, plan.sort);
  const [only, ...others] = windows;
  const settled =
    only === undefined || others.length > 0 ? undefined : settleWindow(plan, sorted, only, ties);
  if (settled !== undefined) return settled;
  const runs: SortedRun[] = [];
  for (const { call, rows } of windows) {
    const failure = checkClaims(source, plan, rows.records);
    if (failure !== undefined) return failure;
    runs.push(ties.runOf(call.firstRow, rows.records));
  }
  const borders = source.verifications?.borderKeys;
  const list = `${total} ${sortedListName(plan)}`;
  const shown = () => ties.keysOf(runs, NONE) ?? NONE;
  const recalled = borders?.recall(list, page, shown(), ties.order);
  const known = recalled?.keys ?? NONE;
  const records = await closeGroups(source, plan, sorted, { ties, runs, known }, context);
  if (isPlanFailure(records)) return records;
  if (hasDuplicates(records)) return inOtherOrder(plan);
  borders?.keep(list, page, shown());
  return { records, provenMs: recalled?.leftMs ?? Infinity };
}

/**
 * Puts the rows of a page that was reached by cursor paging in the contract's order. `before` is the row before the first
 * window. `undefined` if a group of ties that touches the page is not complete in one window.
 */
export function settleWalk(
  ties: Ties,
  { page, total, windows, before }: SortedPage & { readonly before: CanonicalRecord | undefined },
): readonly CanonicalRecord[] | undefined {
  const runs = windows.map(({ call, rows }) => ties.runOf(call.firstRow, rows.records));
  const first = (runs[0]?.first ?? 0) - 1;
  const keys = ties.keysOf(runs, new Map(before && [[first, ties.order.keyOf(before)]]));
  const settled = keys && ties.settle(runs, keys, page, total);
  return settled !== undefined && 'records' in settled ? settled.records : undefined;
}
