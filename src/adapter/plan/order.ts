import type { CanonicalRecord } from '../../contract/document.ts';
import type { FieldKind } from '../../contract/fields.ts';
import {
  compareCodePoints,
  compareIds,
  compareKeys,
  idSortKey,
  matches,
  type SortKey,
  sortKeyOf,
} from '../../contract/order.ts';
import type { Filter, Sort } from '../../contract/query.ts';
import type { Capability } from './push-down.ts';

/** Negative where `a` stands before `b`. */
export type RecordOrder = (a: CanonicalRecord, b: CanonicalRecord) => number;

/** The contract's order: by the field, unknown last in both directions, ties by ascending id. */
export function compileOrder(sort: Sort, kind: FieldKind): RecordOrder {
  const direction = sort.descending ? -1 : 1;
  if (kind === 'id' && sort.field === 'id') return (a, b) => compareIds(a.id, b.id) * direction;
  return function compare(a, b) {
    const left = a[sort.field] ?? null;
    const right = b[sort.field] ?? null;
    if (left !== null && right !== null) {
      const order = compareKeys(sortKeyOf(kind, left), sortKeyOf(kind, right));
      if (order !== 0) return order * direction;
    } else if (left !== right) {
      return left === null ? 1 : -1;
    }
    return compareIds(a.id, b.id);
  };
}

/** What a record is ordered by: made once for each, compared often. */
export type OrderKey = { readonly key: SortKey | null; readonly idKey: string };

/** The contract's order on keys. */
export type KeyedOrder = {
  readonly keyOf: (record: CanonicalRecord) => OrderKey;
  readonly compare: (a: OrderKey, b: OrderKey) => number;
};

/** `compileOrder` for many records: what they are compared by is made once each. */
export function compileKeyedOrder(sort: Sort, kind: FieldKind): KeyedOrder {
  const direction = sort.descending ? -1 : 1;
  return {
    keyOf(record) {
      const value = record[sort.field] ?? null;
      return { key: value === null ? null : sortKeyOf(kind, value), idKey: idSortKey(record.id) };
    },
    compare(a, b) {
      if (a.key !== null && b.key !== null) {
        const order = compareKeys(a.key, b.key) * direction;
        if (order !== 0) return order;
      } else if (a.key !== b.key) {
        return a.key === null ? 1 : -1;
      }
      return compareCodePoints(a.idKey, b.idKey);
    },
  };
}

/**
 * Records in the contract's order.
 * @internal
 */
export function sortRecords(
  records: readonly CanonicalRecord[],
  sort: Sort,
  kind: FieldKind,
): CanonicalRecord[] {
  const { keyOf, compare } = compileKeyedOrder(sort, kind);
  const keyed = records.map((record) => ({ record, ...keyOf(record) }));
  return keyed.sort(compare).map(({ record }) => record);
}

/** The claim about a filter that the records contradict, if any. */
export function brokenFilter(
  records: readonly CanonicalRecord[],
  filters: readonly Filter[],
): Capability | undefined {
  const broken = filters.find(
    (filter) => !records.every((record) => matches(record[filter.field] ?? null, filter.op, filter.value)),
  );
  return broken === undefined ? undefined : `filter.${broken.field}.${broken.op}`;
}

/** Whether records stand strictly in an order; equal neighbours would be the same record twice. */
export function isOrdered(records: readonly CanonicalRecord[], order: RecordOrder): boolean {
  return records.every((record, index) => {
    const before = records[index - 1];
    return before === undefined || order(before, record) < 0;
  });
}

/** Whether an id stands in the records more than once. */
export function hasDuplicates(records: readonly CanonicalRecord[]): boolean {
  return new Set(records.map((record) => record.id)).size !== records.length;
}
