// Reads all rows of a list (or all that match the filters which the source applies), within the source's budget.

import type { Rows } from '../../../source/adapter/compile.ts';
import type { ScanPlan } from '../../../source/adapter/plan/plan.ts';
import type { Window, WindowCall } from '../../../source/adapter/plan/window.ts';
import { inconsistent } from '../../../source/checks/claim.ts';
import { brokenSteadiness } from '../../../source/checks/total.ts';
import type { Upstream } from '../../../source/client/client.ts';
import type { RowTable } from '../../../store/scan-cache/row-table.ts';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import { createRowCollector } from './collect-rows.ts';
import { createDetailFetch } from '../records/detail-fetch.ts';
import { isPlanFailure, type PlanFailure } from '../windows/plan-failure.ts';
import { totalOfCount } from '../windows/read-total.ts';
import { readWindow } from '../windows/read-window.ts';
import { outOfReach, overBudget, tooSlow } from '../windows/scan-faults.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';
import { verifyScannedFilter } from '../verify/verify-scanned-filter.ts';
import { walkWindows } from './walk-windows.ts';

/** How many times an empty list is checked if the source's total was wrong before. */
const CHECKS_OF_EMPTY_LIST = 4;

/** The first window in smaller sizes than that of a scan, if the source has other sizes. */
function otherSizes(window: Window): readonly WindowCall[] {
  if (window.kind === 'sequential') return [window.first];
  const { scanSize } = window;
  const wanted = Number.isFinite(scanSize) ? [scanSize - 1, 1] : [];
  const calls = wanted.filter((size) => size > 0).flatMap((size) => window.cover(0, size)[0] ?? []);
  const others = calls.filter(({ size }) => size < scanSize);
  return others.length > 0 ? others : [window.scanCall(0)];
}

/**
 * For a source whose total was wrong before: checks that the number of scanned rows fits its totals. If a total is higher,
 * rows may be missing. If the total changes from call to call, or with the size of a window, the source may hide rows, so
 * their number is no total, either.
 */
async function checkDoubtedTotal(
  source: SourceRuntime,
  { window, request, count }: ScanPlan,
  { total: told }: Rows,
  received: number,
  context: CallContext,
): Promise<PlanFailure | undefined> {
  const total = told ?? (count && (await totalOfCount(source, count, context)));
  if (typeof total === 'number' && received < total)
    return inconsistent('the rows are fewer than the total says', { breaks: 'total' });
  if (told === undefined) return undefined;
  const calls = otherSizes(window);
  for (let index = 0; index < (received === 0 ? CHECKS_OF_EMPTY_LIST : 1); index += 1) {
    const call = calls[index % calls.length];
    const other = call && (await readWindow(source, request, call, context));
    if (isPlanFailure(other)) return other;
    const unsteady = other && brokenSteadiness(other.rows, told);
    if (unsteady !== undefined) return unsteady;
  }
  return undefined;
}

/** Reads every row that matches the filters which the source applies. @throws GatewayError */
async function scanOnce(
  source: SourceRuntime,
  plan: ScanPlan,
  name: string,
  context: CallContext,
): Promise<RowTable | PlanFailure> {
  const { window } = plan;
  const { collect, tableOf } = createRowCollector(source, plan, name, context.signal);
  const call = window.kind === 'sequential' ? window.first : window.scanCall(0);
  const first = await readWindow(source, plan.request, call, context);
  if (isPlanFailure(first)) return first;
  const total = plan.totalCounts ? first.rows.total : undefined;
  // The reply has neither rows nor a total, so it may be no list at all.
  if (first.rows.received === 0 && first.rows.isTotalLost === true)
    throw invalidReply('total', 'the total of a reply without rows is missing or not a whole number');
  if (Math.max(total ?? 0, first.rows.received) > source.budget.rows) throw overBudget('rows');
  if (window.kind === 'random' && total !== undefined && total > window.depthMax) throw outOfReach();
  const collected = await collect(first);
  if (isPlanFailure(collected)) return collected;
  const unproven = await verifyScannedFilter(source, plan, first, context);
  if (unproven !== undefined) return unproven;
  const others = await walkWindows(source, plan, first, collect, context);
  if (isPlanFailure(others)) return others;
  const windows = [collected, ...others];
  const received = windows.reduce((sum, one) => sum + one.received, 0);
  if (total !== undefined && received !== total) {
    const other = windows.find((one) => one.total !== undefined && one.total !== total)?.total;
    const totals = other === undefined ? {} : { totals: [total, other] as const };
    return inconsistent('the rows are not as many as the total says', totals);
  }
  const doubt = plan.totalIsLowerBound
    ? await checkDoubtedTotal(source, plan, first.rows, received, context)
    : undefined;
  return doubt ?? tableOf(windows);
}

/** Wraps a source so that the time of its last reply is known. */
function watchReplies(source: SourceRuntime) {
  const { upstream } = source;
  let lastMs = performance.now();
  const ask: Upstream['ask'] = (request, read, ...more) =>
    upstream.ask(
      request,
      (reply) => {
        lastMs = performance.now();
        return read(reply);
      },
      ...more,
    );
  return {
    source: { ...source, upstream: { ask, load: upstream.load, close: () => upstream.close() } },
    /** Milliseconds since the last reply, or since the watch began if there was none. */
    silentMs: () => performance.now() - lastMs,
  };
}

/**
 * Scans a list within the source's budget. The rows become a table with the name `name`.
 * @throws GatewayError `scan_limit_exceeded` over budget; `upstream_timeout` if one reply takes most of the budget's time
 */
export async function scan(
  source: SourceRuntime,
  plan: ScanPlan,
  name: string,
  context: CallContext,
): Promise<RowTable | PlanFailure> {
  const watched = watchReplies(source);
  const deadline = AbortSignal.timeout(source.budget.time);
  const signal = AbortSignal.any([context.signal, deadline]);
  try {
    const finish = plan.detailFetch === 'rows' ? createDetailFetch(watched.source, 'scan') : undefined;
    const priority = context.priority === 'shadow' ? 'shadow' : 'scan';
    const isWholeList = plan.pushedFilters.length === 0;
    return await scanOnce(watched.source, plan, name, { ...context, signal, priority, finish, isWholeList });
  } catch (error) {
    if (!deadline.aborted || context.signal.aborted) throw error;
    throw watched.silentMs() * 2 >= source.budget.time ? tooSlow() : overBudget('time');
  }
}
