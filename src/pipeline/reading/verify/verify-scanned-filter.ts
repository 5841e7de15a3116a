import type { ScanPlan } from '../../../source/adapter/plan/plan.ts';
import type { WindowEvidence } from '../../../source/checks/claim.ts';
import { isFilteredBeforePaging } from '../../../source/checks/filter.ts';
import { isPlanFailure, type PlanFailure, unprovenFilters } from '../windows/plan-failure.ts';
import { readWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

/**
 * Whether the number of rows in a filtered scan is known from elsewhere: the total counts them, or windows are asked for
 * until all rows of the list have passed.
 */
function isEndKnown({ window, totalCounts }: ScanPlan, { rows }: WindowEvidence): boolean {
  if (rows.total === undefined) return false;
  return totalCounts || (window.kind === 'random' && !window.shortAtEnd);
}

/**
 * A scan ends with a window that is short or empty. If the source filters what it has paged, that is not the end, and
 * rows would be lost in silence. So the first window is compared with the same one without the filters, once in a while.
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
  // The list has no second window, so the first one has all rows that match.
  const { window } = plan;
  const isShort = whole.rows.received < first.call.size;
  if (isShort && window.kind === 'random' && window.shortAtEnd) return undefined;
  if (!isFilteredBeforePaging(first, whole)) return unprovenFilters;
  verifications.know(name);
  return undefined;
}
