import type { ScanPlan } from '../../adapter/plan/plan.ts';
import { inconsistent } from '../../claims/claim.ts';
import type { RowTable } from '../../rowset/row-table.ts';
import { invalidReply } from '../../errors/fault.ts';
import { createRowCollector } from './collect-rows.ts';
import { createHydration } from '../records/hydrate.ts';
import { isMismatch, type Mismatch } from '../mismatch.ts';
import { readWindow } from '../read-window.ts';
import { watchReplies } from './reply-watch.ts';
import { outOfReach, overBudget, tooSlow } from './scan-faults.ts';
import type { CallContext, SourceRuntime } from '../source-runtime.ts';
import { verifyScannedFilter } from '../verify/verify-scanned-filter.ts';
import { walkWindows } from './walk-windows.ts';

/** Reads every row that the plan's pushed filters leave. @throws GatewayError */
async function scanOnce(
  source: SourceRuntime,
  plan: ScanPlan,
  name: string,
  context: CallContext,
): Promise<RowTable | Mismatch> {
  const { window } = plan;
  const { collect, tableOf } = createRowCollector(source, plan, name, context.signal);
  const call = window.kind === 'sequential' ? window.first : window.scanCall(0);
  const first = await readWindow(source, plan.request, call, context);
  if (isMismatch(first)) return first;
  const total = plan.totalCounts ? first.rows.total : undefined;
  // Neither rows nor their number: this may be no list at all.
  if (first.rows.received === 0 && first.rows.isTotalLost === true)
    throw invalidReply('total', 'the total of a reply without rows is missing or not a whole number');
  if (Math.max(total ?? 0, first.rows.received) > source.budget.rows) throw overBudget('rows');
  if (window.kind === 'random' && total !== undefined && total > window.depthMax) throw outOfReach();
  const collected = await collect(first);
  if (isMismatch(collected)) return collected;
  const unproven = await verifyScannedFilter(source, plan, first, context);
  if (unproven !== undefined) return unproven;
  const others = await walkWindows(source, plan, first, collect, context);
  if (isMismatch(others)) return others;
  const windows = [collected, ...others];
  const received = windows.reduce((sum, one) => sum + one.received, 0);
  if (total !== undefined && received !== total)
    return inconsistent('the rows are not as many as the total says');
  // Rows that are missing may be those that the source does not give, so their number is no total.
  if (plan.totalIsLowerBound && received < (first.rows.total ?? 0))
    return inconsistent('the rows are fewer than the total says');
  return tableOf(windows);
}

/**
 * Scans within the source's budget. The rows become a table with a name.
 * @throws GatewayError `scan_limit_exceeded` over budget, `upstream_timeout` where a reply takes most of its time
 */
export async function scan(
  source: SourceRuntime,
  plan: ScanPlan,
  name: string,
  context: CallContext,
): Promise<RowTable | Mismatch> {
  const watched = watchReplies(source);
  const deadline = AbortSignal.timeout(source.budget.time);
  const signal = AbortSignal.any([context.signal, deadline]);
  try {
    const finish = plan.hydrates === 'rows' ? createHydration(watched.source, 'scan') : undefined;
    return await scanOnce(watched.source, plan, name, { ...context, signal, priority: 'scan', finish });
  } catch (error) {
    if (!deadline.aborted || context.signal.aborted) throw error;
    throw watched.silentMs() * 2 >= source.budget.time ? tooSlow() : overBudget('time');
  }
}
