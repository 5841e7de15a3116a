import type { ScanPlan } from '../../../source/adapter/plan/plan.ts';
import type { RandomWindow, SequentialWindow, WindowCall } from '../../../source/adapter/plan/window.ts';
import {
  inconsistent,
  type InconsistentReads,
  type WindowEvidence,
  windowIds,
} from '../../../source/checks/claim.ts';
import { brokenSteadiness, brokenTotal } from '../../../source/checks/total.ts';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import { allOrAbort } from '../windows/all-or-abort.ts';
import type { CollectedWindow, RowCollector } from './collect-rows.ts';
import { isPlanFailure, type PlanFailure, recordCameTwice } from '../windows/plan-failure.ts';
import { readWindow } from '../windows/read-window.ts';
import { outOfReach, overBudget } from '../windows/scan-faults.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

/** Calls that a scan has under way at once; fewer than a source's concurrency, so that callers get through. */
const CONCURRENCY = 3;

type Windows = readonly CollectedWindow[];
type Collect = RowCollector['collect'];

/** Reads the windows `1 … count-1` with a few walkers; the first failure stops them all. */
async function walk(
  count: number,
  context: CallContext,
  read: (index: number, context: CallContext) => Promise<CollectedWindow | PlanFailure>,
): Promise<Windows | PlanFailure> {
  const windows: CollectedWindow[] = [];
  let next = 1;
  async function walker(within: CallContext): Promise<PlanFailure | undefined> {
    while (next < count) {
      const index = next;
      next += 1;
      const window = await read(index, within);
      if (isPlanFailure(window)) return window;
      windows[index - 1] = window;
    }
    return undefined;
  }
  const walked = await allOrAbort(context, (within) =>
    Array.from({ length: CONCURRENCY }, () => walker(within)),
  );
  return isPlanFailure(walked) ? walked : windows;
}

/** The windows behind the first if the source says how many rows there are: each must then be full. */
function walkByTotal(
  source: SourceRuntime,
  plan: ScanPlan,
  { window, total, collect }: { window: RandomWindow; total: number; collect: Collect },
  context: CallContext,
): Promise<Windows | PlanFailure> {
  const { scanSize, depthMax, endsEmpty } = window;
  // If the last window is full, only the empty one behind it shows that the total is not too small.
  const looksBehind = endsEmpty && total % scanSize === 0 && total < depthMax;
  const count = Math.ceil(total / scanSize) + (looksBehind ? 1 : 0);
  if (count > source.budget.calls) throw overBudget('calls');
  return walk(count, context, async (index, within) => {
    const rows = await readWindow(source, plan.request, window.scanCall(index), within);
    return isPlanFailure(rows) ? rows : (brokenTotal(rows, total) ?? collect(rows));
  });
}

/** How the windows behind the first are found, and which of them is behind the end. */
type WindowSequence = {
  readonly next: (last: WindowEvidence) => WindowCall | InconsistentReads | undefined;
  readonly isBehind: (window: WindowEvidence) => boolean | InconsistentReads;
};

/** The windows behind the first, one after the other. */
async function walkOn(
  source: SourceRuntime,
  plan: ScanPlan,
  first: WindowEvidence,
  { next, isBehind, collect }: WindowSequence & { readonly collect: Collect },
  context: CallContext,
): Promise<Windows | PlanFailure> {
  const windows: CollectedWindow[] = [];
  let last = first;
  let received = first.rows.received;
  for (let calls = 1; ; calls += 1) {
    const call = next(last);
    if (call === undefined) return windows;
    if (isPlanFailure(call)) return call;
    if (calls >= source.budget.calls) throw overBudget('calls');
    const window = await readWindow(source, plan.request, call, context);
    if (isPlanFailure(window)) return window;
    const isEnd = isBehind(window);
    if (isPlanFailure(isEnd)) return isEnd;
    if (isEnd) return windows;
    const { rows } = window;
    const unsteady =
      plan.totalIsLowerBound && rows.received > 0 ? brokenSteadiness(rows, first.rows.total) : undefined;
    if (unsteady !== undefined) return unsteady;
    received += rows.received;
    if (received > source.budget.rows) throw overBudget('rows');
    const collected = await collect(window);
    if (isPlanFailure(collected)) return collected;
    windows.push(collected);
    last = window;
  }
}

/**
 * The windows of a source without a total, by number. The end is an empty window; if any window may be short, two
 * in a row, because one may have lost all its rows.
 */
function byNumber(window: RandomWindow, first: WindowEvidence): WindowSequence {
  let short = false;
  let empty = 0;
  const seen = new Set(windowIds(first));
  return {
    next({ call, rows }) {
      empty = rows.received === 0 ? empty + 1 : 0;
      if (empty > 0 && window.shortAtEnd) return undefined;
      if (empty > 1 && call.firstRow + call.size >= (rows.total ?? 0)) return undefined;
      // If only the end is short, rows behind a short window mean that the source gives less than it is asked for.
      if (short && window.shortAtEnd) return inconsistent('a short window stands before others');
      short = rows.received < call.size;
      const next = window.after(call, rows.received);
      if (next.firstRow >= window.depthMax) throw outOfReach();
      return next;
    },
    // Sources that go on behind the last row bring nothing new there: the last page again, or the first.
    isBehind(last) {
      const ids = windowIds(last);
      const known = ids.filter((id) => seen.has(id)).length;
      if (known > 0 && (window.endsEmpty || known < ids.length)) return recordCameTwice;
      for (const id of ids) seen.add(id);
      return known > 0;
    },
  };
}

/** The windows of a source that names the next one. The same name twice would never end. */
function byName(window: SequentialWindow): WindowSequence {
  const seen = new Set<string>();
  return {
    next({ call, rows }) {
      if (rows.next === undefined) return undefined;
      if (seen.has(rows.next)) throw invalidReply('next', 'the source names the same next window twice');
      seen.add(rows.next);
      return window.after(call, rows.next, rows.received);
    },
    isBehind: () => false,
  };
}

/** Reads and collects the windows behind the first. @throws GatewayError */
export async function walkWindows(
  source: SourceRuntime,
  plan: ScanPlan,
  first: WindowEvidence,
  collect: Collect,
  context: CallContext,
): Promise<Windows | PlanFailure> {
  const { window } = plan;
  if (window.kind === 'sequential')
    return walkOn(source, plan, first, { ...byName(window), collect }, context);
  if (!Number.isFinite(window.scanSize)) return [];
  const { total } = first.rows;
  if (total === undefined || !plan.totalCounts)
    return walkOn(source, plan, first, { ...byNumber(window, first), collect }, context);
  return brokenTotal(first, total) ?? walkByTotal(source, plan, { window, total, collect }, context);
}
