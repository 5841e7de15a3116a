import type { PagePlan } from '../../../source/adapter/plan/plan.ts';
import { type ClaimContradicted, contradicted } from '../../../source/checks/claim.ts';
import { brokenFilter, ROW_EXCLUDED } from '../../../source/checks/filter.ts';
import { isOrdered } from '../../../source/checks/order.ts';
import { canTie, compileTies, type Ties } from '../../../source/checks/ties.ts';
import { hasDuplicates } from '../../../source/checks/unique-ids.ts';
import { compileOrder, sortFieldOf } from '../../../contract/order.ts';
import type { Sort } from '../../../contract/query.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { SourceRuntime } from '../windows/source-runtime.ts';

type Relied = Pick<PagePlan, 'filters' | 'sort' | 'dependsOn'>;

const sortFieldIn = ({ resource }: SourceRuntime, sort: Sort) => sortFieldOf(resource.itemFields, sort);

/** The ties of a sort of a source. */
export function tiesOf(source: SourceRuntime, sort: Sort): Ties {
  return compileTies(sort, sortFieldIn(source, sort));
}

/** The rows contradict the order that a plan relied on. */
export const inOtherOrder = ({ dependsOn }: Pick<PagePlan, 'dependsOn'>): ClaimContradicted =>
  contradicted(dependsOn.at(-1) ?? 'order', 'rows come in another order, or twice');

function areOrdered(source: SourceRuntime, sort: Sort, records: readonly CanonicalRecord[]): boolean {
  if (!canTie(sort)) return isOrdered(records, compileOrder(sort, sortFieldIn(source, sort)));
  // The order of ties is no matter of the source: they are put in order here.
  const { areInOrder, order } = tiesOf(source, sort);
  return areInOrder(records.map(order.keyOf)) && !hasDuplicates(records);
}

/** Checks of the filters alone. */
export function checkFilters(
  { filters }: Relied,
  records: readonly CanonicalRecord[],
): ClaimContradicted | undefined {
  const filter = brokenFilter(records, filters);
  return filter === undefined ? undefined : contradicted(filter, ROW_EXCLUDED);
}

/** Checks of one reply at run time: what the plan relied on must hold in the rows that came. */
export function checkClaims(
  source: SourceRuntime,
  plan: Relied,
  records: readonly CanonicalRecord[],
): ClaimContradicted | undefined {
  const excluded = checkFilters(plan, records);
  if (excluded !== undefined) return excluded;
  const ordered = plan.sort === null ? !hasDuplicates(records) : areOrdered(source, plan.sort, records);
  return ordered ? undefined : inOtherOrder(plan);
}
