import type { Capability } from '../adapter/plan/push-down.ts';
import { matches } from '../contract/order.ts';
import type { Filter } from '../contract/query.ts';
import type { EvidenceRow } from './claim.ts';

/** What contradicts a filter. */
export const ROW_EXCLUDED = 'a row came that does not match';

/** Whether a row satisfies every filter. */
export function fitsFilters(row: EvidenceRow, filters: readonly Filter[]): boolean {
  return filters.every(({ field, op, value }) => matches(row[field] ?? null, op, value));
}

/** The claimed filter that the rows contradict; `undefined` if they contradict none. */
export function brokenFilter(
  rows: readonly EvidenceRow[],
  filters: readonly Filter[],
): Capability | undefined {
  const broken = filters.find(
    ({ field, op, value }) => !rows.every((row) => matches(row[field] ?? null, op, value)),
  );
  return broken === undefined ? undefined : `filter.${broken.field}.${broken.op}`;
}
