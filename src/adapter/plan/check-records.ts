import type { CanonicalRecord } from '../../contract/response-body.ts';
import { matches, type RecordOrder } from '../../contract/order.ts';
import type { Filter } from '../../contract/query.ts';
import type { Capability } from './push-down.ts';

/** The claimed filter that the records contradict; `undefined` if they contradict none. */
export function brokenFilter(
  records: readonly CanonicalRecord[],
  filters: readonly Filter[],
): Capability | undefined {
  const broken = filters.find(
    (filter) => !records.every((record) => matches(record[filter.field] ?? null, filter.op, filter.value)),
  );
  return broken === undefined ? undefined : `filter.${broken.field}.${broken.op}`;
}

/** Whether records are in strict order; equal neighbours would be the same record twice. */
export function isOrdered(records: readonly CanonicalRecord[], order: RecordOrder): boolean {
  return records.every((record, index) => {
    const before = records[index - 1];
    return before === undefined || order(before, record) < 0;
  });
}

/** Whether two records have the same id. */
export function hasDuplicates(records: readonly CanonicalRecord[]): boolean {
  return new Set(records.map((record) => record.id)).size !== records.length;
}
