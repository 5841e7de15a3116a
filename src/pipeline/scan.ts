import { brokenFilter, hasDuplicates } from '../adapter/order.ts';
import type { ScanPlan } from '../adapter/plan.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import { readWindow } from './read-window.ts';
import { Contradiction, type Errand, Moved, type SourceRuntime } from './source-runtime.ts';
import { cameTwice, outOfReach, overBudget, walkWindows } from './walk-windows.ts';

type Records = readonly CanonicalRecord[];

/** Reads every row that the plan's pushed filters leave. @throws GatewayError, Contradiction, Moved */
async function scanOnce(source: SourceRuntime, plan: ScanPlan, errand: Errand): Promise<Records> {
  const { window } = plan;
  const call = window.kind === 'sequential' ? window.first : window.scanCall(0);
  const first = await readWindow(source, plan.request, call, errand);
  const total = plan.totalCounts ? first.rows.total : undefined;
  if (Math.max(total ?? 0, first.rows.received) > source.budget.rows) throw overBudget('rows');
  if (window.kind === 'random' && total !== undefined && total > window.depthMax) throw outOfReach();
  const windows = [first, ...(await walkWindows(source, plan, first, errand))];
  const received = windows.reduce((sum, { rows }) => sum + rows.received, 0);
  if (total !== undefined && received !== total)
    throw new Moved('the rows are not as many as the total says');
  const records = windows.flatMap(({ rows }) => rows.records);
  if (hasDuplicates(records)) throw cameTwice();
  const filter = brokenFilter(records, plan.pushedFilters);
  if (filter !== undefined) throw new Contradiction(filter);
  return records;
}

/**
 * Scans within the source's budget of time.
 * @throws GatewayError `scan_limit_exceeded` over budget; Contradiction, Moved
 */
export async function scan(source: SourceRuntime, plan: ScanPlan, errand: Errand): Promise<Records> {
  const deadline = AbortSignal.timeout(source.budget.time);
  try {
    return await scanOnce(source, plan, { ...errand, signal: AbortSignal.any([errand.signal, deadline]) });
  } catch (error) {
    if (deadline.aborted && !errand.signal.aborted) throw overBudget('time');
    throw error;
  }
}
