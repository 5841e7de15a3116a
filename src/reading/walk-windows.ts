import type { ScanPlan } from '../adapter/plan/plan.ts';
import type { RandomWindow, SequentialWindow, WindowCall } from '../adapter/plan/window.ts';
import { invalidReply } from '../errors/fault.ts';
import type { CollectedWindow, RowCollector } from './collect-rows.ts';
import { checkWindow, readWindow, type WindowRows } from './read-window.ts';
import { cameTwice, outOfReach, overBudget } from './scan-faults.ts';
import { type CallContext, Moved, type SourceRuntime } from './source-runtime.ts';
import { allOrAbort } from './all-or-abort.ts';

/** Calls a scan has under way at once; fewer than a source's concurrency, so that callers get through. */
const WALKERS = 3;

type Windows = readonly CollectedWindow[];
type Keep = RowCollector['keep'];

/** Reads the windows `1 … count-1` with a few walkers; the first failure stops them all. */
async function walk(
  count: number,
  context: CallContext,
  read: (index: number, context: CallContext) => Promise<CollectedWindow>,
): Promise<Windows> {
  const windows: CollectedWindow[] = [];
  let next = 1;
  async function walker(within: CallContext): Promise<void> {
    while (next < count) {
      const index = next;
      next += 1;
      windows[index - 1] = await read(index, within);
    }
  }
  await allOrAbort(context, (within) => Array.from({ length: WALKERS }, () => walker(within)));
  return windows;
}

/** The windows behind the first where the source says how many rows there are: each must then be full. */
function walkByTotal(
  source: SourceRuntime,
  plan: ScanPlan,
  { window, total, keep }: { window: RandomWindow; total: number; keep: Keep },
  context: CallContext,
): Promise<Windows> {
  const { scanSize, depthMax, endsEmpty } = window;
  // Where the last window is full, only the empty one behind it shows that the total is not too small.
  const looksBehind = endsEmpty && total % scanSize === 0 && total < depthMax;
  const count = Math.ceil(total / scanSize) + (looksBehind ? 1 : 0);
  if (count > source.budget.calls) throw overBudget('calls');
  return walk(count, context, async (index, within) => {
    const rows = await readWindow(source, plan.request, window.scanCall(index), within);
    checkWindow(rows, total);
    return keep(rows);
  });
}

/** How the windows behind the first are found, and which of them is behind the end. */
type Steps = {
  readonly next: (last: WindowRows) => WindowCall | undefined;
  readonly isBehind: (window: WindowRows) => boolean;
};

/** The windows behind the first, one after the other. */
async function walkOn(
  source: SourceRuntime,
  plan: ScanPlan,
  first: WindowRows,
  { next, isBehind, keep }: Steps & { readonly keep: Keep },
  context: CallContext,
): Promise<Windows> {
  const windows: CollectedWindow[] = [];
  let last = first;
  let received = first.rows.received;
  for (let calls = 1; ; calls += 1) {
    const call = next(last);
    if (call === undefined) return windows;
    if (calls >= source.budget.calls) throw overBudget('calls');
    last = await readWindow(source, plan.request, call, context);
    if (isBehind(last)) return windows;
    const { total = first.rows.total } = last.rows;
    if (plan.totalIsLowerBound && last.rows.received > 0 && total !== first.rows.total)
      throw new Moved('the total changed during the walk');
    received += last.rows.received;
    if (received > source.budget.rows) throw overBudget('rows');
    windows.push(await keep(last));
  }
}

/** The ids of a window's rows, those that are no records included. */
function idsOf({ rows: { records, droppedIds = [] } }: WindowRows): readonly string[] {
  return [...records.map(({ id }) => id), ...droppedIds];
}

/**
 * The next window of a source that tells no total. The end is an empty window; where windows anywhere may be short,
 * two on end, because one may have lost all its rows.
 */
function byNumber(window: RandomWindow, first: WindowRows): Steps {
  let short = false;
  let empty = 0;
  const seen = new Set(idsOf(first));
  return {
    next({ call, rows }) {
      empty = rows.received === 0 ? empty + 1 : 0;
      if (empty > 0 && window.shortAtEnd) return undefined;
      if (empty > 1 && call.firstRow + call.size >= (rows.total ?? 0)) return undefined;
      // Where only the end is short, rows behind a short window mean that the source gives less than it is asked for.
      if (short && window.shortAtEnd) throw new Moved('a short window stands before others');
      short = rows.received < call.size;
      const next = window.after(call, rows.received);
      if (next.firstRow >= window.depthMax) throw outOfReach();
      return next;
    },
    // Sources that go on behind the last row bring nothing new there: the last page again, or the first.
    isBehind(last) {
      const ids = idsOf(last);
      const known = ids.filter((id) => seen.has(id)).length;
      if (known > 0 && (window.endsEmpty || known < ids.length)) throw cameTwice();
      for (const id of ids) seen.add(id);
      return known > 0;
    },
  };
}

/** The next window of a source that names it. The same name twice would never end. */
function byName(window: SequentialWindow): Steps {
  const seen = new Set<string>();
  return {
    next({ call, rows }) {
      if (rows.next === undefined) return undefined;
      if (seen.has(rows.next)) {
        throw invalidReply('next', 'the source names the same next window twice');
      }
      seen.add(rows.next);
      return window.after(call, rows.next, rows.received);
    },
    isBehind: () => false,
  };
}

/** Reads the windows behind the first and has them kept. @throws GatewayError, Contradiction, Moved */
export function walkWindows(
  source: SourceRuntime,
  plan: ScanPlan,
  first: WindowRows,
  keep: Keep,
  context: CallContext,
): Promise<Windows> {
  const { window } = plan;
  if (window.kind === 'sequential') return walkOn(source, plan, first, { ...byName(window), keep }, context);
  if (!Number.isFinite(window.scanSize)) return Promise.resolve([]);
  const { total } = first.rows;
  if (total === undefined || !plan.totalCounts)
    return walkOn(source, plan, first, { ...byNumber(window, first), keep }, context);
  checkWindow(first, total);
  return walkByTotal(source, plan, { window, total, keep }, context);
}
