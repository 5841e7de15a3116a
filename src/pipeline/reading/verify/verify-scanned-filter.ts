// Notices a source that filters after paging, because the end of its windows is then not the end of the list.

import type { ScanPlan } from '../../../source/adapter/plan/plan.ts';
import type { WindowEvidence } from '../../../source/checks/claim.ts';
import { isFilteredBeforePaging } from '../../../source/checks/filter.ts';
import { isPlanFailure, type PlanFailure, unprovenFilters } from '../windows/plan-failure.ts';
import { readWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

/**
 * Whether the end of a filtered scan is known in another way: by a total, or because windows are read until all rows of the
 * whole list have passed.
 */
function isEndKnown({ window, totalCounts }: ScanPlan, { rows }: WindowEvidence): boolean {
  if (rows.total === undefined) return false;
  return totalCounts || (window.kind === 'random' && !window.shortAtEnd);
}

/**
 * Compares the first window of a filtered scan with the same window without the filters, about once a minute. A scan ends at
 * a window that is short or empty. If the source filters after paging, such a window is not the end, and rows would be lost
 * without an error. `undefined`: the filters are applied before paging, or it need not be known.
 */
export async function verifyScannedFilter(
  source: SourceRuntime,
  plan: ScanPlan,
  first: WindowEvidence,
  context: CallContext,
): Promise<PlanFailure | undefined> {
  const { verifications } = source;
  if (plan.unfiltered === undefined || verifications === undefined || isEndKnown(plan, first))
    return undefined;
  const name = `before paging: ${plan.dependsOn.join(' ')}`;
  if (verifications.isKnown(name)) return undefined;
  const { finish: _finish, ...plain } = context;
  const whole = await readWindow(source, plan.unfiltered, first.call, plain);
  if (isPlanFailure(whole)) return whole;
  // The whole list has only one window, so the first window has all rows that match.
  const { window } = plan;
  const isShort = whole.rows.received < first.call.size;
  if (isShort && window.kind === 'random' && window.shortAtEnd) return undefined;
  if (!isFilteredBeforePaging(first, whole)) return unprovenFilters;
  verifications.know(name);
  return undefined;
}
