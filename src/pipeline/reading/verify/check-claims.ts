// Checks whether the rows that came fit the filters and the order that a plan depends on. Each page passes it before it is an
// answer.

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

type ClaimsOfPlan = Pick<PagePlan, 'filters' | 'sort' | 'dependsOn'>;

const sortFieldIn = ({ resource }: SourceRuntime, sort: Sort) => sortFieldOf(resource.itemFields, sort);

/** Compiles how ties (rows with equal values) of a sort are put in order by id. */
export function tiesOf(source: SourceRuntime, sort: Sort): Ties {
  return compileTies(sort, sortFieldIn(source, sort));
}

/** The failure of a plan whose rows came in another order than it depends on. */
export const inOtherOrder = ({ dependsOn }: Pick<PagePlan, 'dependsOn'>): ClaimContradicted =>
  contradicted(dependsOn.at(-1) ?? 'order', 'rows come in another order, or twice');

function areOrdered(source: SourceRuntime, sort: Sort, records: readonly CanonicalRecord[]): boolean {
  if (!canTie(sort)) return isOrdered(records, compileOrder(sort, sortFieldIn(source, sort)));
  // The source need not order ties, because they are put in order here.
  const { areInOrder, order } = tiesOf(source, sort);
  return areInOrder(records.map(order.keyOf)) && !hasDuplicates(records);
}

/** Checks only the filters; `undefined` if each row matches. */
export function checkFilters(
  { filters }: ClaimsOfPlan,
  records: readonly CanonicalRecord[],
): ClaimContradicted | undefined {
  const filter = brokenFilter(records, filters);
  return filter === undefined ? undefined : contradicted(filter, ROW_EXCLUDED);
}

/** Checks the rows of replies against the claims of a plan: filters and order; `undefined` if all rows fit. */
export function checkClaims(
  source: SourceRuntime,
  plan: ClaimsOfPlan,
  records: readonly CanonicalRecord[],
): ClaimContradicted | undefined {
  const excluded = checkFilters(plan, records);
  if (excluded !== undefined) return excluded;
  const ordered = plan.sort === null ? !hasDuplicates(records) : areOrdered(source, plan.sort, records);
  return ordered ? undefined : inOtherOrder(plan);
}
