import type { CanonicalRecord } from '../../../src/contract/response-body.ts';
import { compileKeyedOrder, type SortRules } from '../../../src/contract/order.ts';
import type { Sort } from '../../../src/contract/query.ts';

/** Records in the contract's order, by keys that are made once for each. */
export function sortRecords(records: readonly CanonicalRecord[], sort: Sort, by: SortRules) {
  const { keyOf, compare } = compileKeyedOrder(sort, by);
  const keyed = records.map((record) => ({ record, ...keyOf(record) }));
  return keyed.sort(compare).map(({ record }) => record);
}
