// Reads the windows of a scan after the first: several at once if the total is known, else one after the other.

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

/** The calls that a scan makes at once. They are fewer than the source allows, so that calls for callers get through. */
const CONCURRENCY = 3;

type Windows = readonly CollectedWindow[];
type Collect = RowCollector['collect'];

/** Reads the windows `1 … count-1`, a few at a time. The first failure stops all. */
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

/** Reads the windows after the first if the total is known. Each window except the last must then be full. */
function walkByTotal(
  source: SourceRuntime,
  plan: ScanPlan,
  { window, total, collect }: { window: RandomWindow; total: number; collect: Collect },
  context: CallContext,
): Promise<Windows | PlanFailure> {
  const { scanSize, depthMax, endsEmpty } = window;
  // If the last window is full, only an empty window after it shows that the total is not too small.
  const looksBehind = endsEmpty && total % scanSize === 0 && total < depthMax;
  const count = Math.ceil(total / scanSize) + (looksBehind ? 1 : 0);
  if (count > source.budget.calls) throw overBudget('calls');
  return walk(count, context, async (index, within) => {
    const rows = await readWindow(source, plan.request, window.scanCall(index), within);
    return isPlanFailure(rows) ? rows : (brokenTotal(rows, total) ?? collect(rows));
  });
}

/** How the next window is found, and how the end of the list is recognised. */
type WindowSequence = {
  readonly next: (last: WindowEvidence) => WindowCall | InconsistentReads | undefined;
  /** Whether a window lies after the end of the list. */
  readonly isBehind: (window: WindowEvidence) => boolean | InconsistentReads;
};

/** Reads the windows after the first, one after the other. */
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
 * Finds the windows of a source without a total by their number. An empty window is the end. If any window may be short,
 * two empty windows in a row are the end, because the source may hide all rows of one window.
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
      // If only the last window may be short, a window after a short one means that the source gives too few rows.
      if (short && window.shortAtEnd) return inconsistent('a short window stands before others');
      short = rows.received < call.size;
      const next = window.after(call, rows.received);
      if (next.firstRow >= window.depthMax) throw outOfReach();
      return next;
    },
    // After the end, such sources repeat the last page or the first one, so a window with known ids is after the end.
    isBehind(last) {
      const ids = windowIds(last);
      const known = ids.filter((id) => seen.has(id)).length;
      if (known > 0 && (window.endsEmpty || known < ids.length)) return recordCameTwice;
      for (const id of ids) seen.add(id);
      return known > 0;
    },
  };
}

/** Finds the windows of a source that names the next one by a cursor. The same cursor twice would never end. */
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

/** Reads and collects the windows after the first. @throws GatewayError */
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
