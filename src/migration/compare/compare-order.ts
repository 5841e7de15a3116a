// Compares the order of the records that two pages share, for compare-lists.ts. Ties in another order are not a wrong order.

import type { Field } from '../../contract/fields.ts';
import { compileFieldOrder } from '../../contract/order.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Sort } from '../../contract/query.ts';
import type { AnswerDifference } from './comparison.ts';

const orderBy = (field: Field) => compileFieldOrder({ field: field.name, descending: false }, field);

/** Whether both pages have equal sort keys at each position, so that only records with equal keys have changed places. */
function isPermutedWithinTies(
  legacy: readonly CanonicalRecord[],
  newRecords: readonly CanonicalRecord[],
  field: Field,
): boolean {
  const { keyOf, compare } = orderBy(field);
  const others = newRecords.map(keyOf);
  return legacy.map(keyOf).every((key, at) => compare(key, others[at] ?? null) === 0);
}

/** Whether the records are sorted by this field, and have more than one value of it. */
function isOrderedBy(records: readonly CanonicalRecord[], field: Field): boolean {
  const { keyOf, compare } = orderBy(field);
  const keys = records.map(keyOf);
  const steps = keys.slice(1).map((key, at) => Math.sign(compare(keys[at] ?? null, key)));
  const moves = new Set(steps.filter((step) => step !== 0));
  return moves.size === 1;
}

/**
 * Whether the two orders differ only among records with equal keys. A list without a sort has an order that the source chooses.
 * If the records of the page are sorted by some field, that field counts as its order.
 */
function isTie(
  resource: Resource,
  sort: Sort | null,
  legacy: readonly CanonicalRecord[],
  newRecords: readonly CanonicalRecord[],
): boolean {
  const fields = resource.itemFields.filter(({ kind }) => kind !== 'id');
  const isPermuted = (field: Field) => isPermutedWithinTies(legacy, newRecords, field);
  if (sort !== null) return fields.some((field) => field.name === sort.field && isPermuted(field));
  return fields.some((field) => isPermuted(field) && isOrderedBy(legacy, field));
}

/** The difference in the order of the records that both lists have: none, or one with the ids that have moved. */
export function compareOrder(
  resource: Resource,
  sort: Sort | null,
  legacy: readonly CanonicalRecord[],
  newRecords: readonly CanonicalRecord[],
): readonly AnswerDifference[] {
  const moved = legacy.flatMap(({ id }, at) => {
    const other = newRecords[at]?.id;
    return other === undefined || other === id ? [] : [{ id, other }];
  });
  if (moved.length === 0) return [];
  const kind = isTie(resource, sort, legacy, newRecords) ? 'tie_order' : 'order';
  const orders = { legacy: moved.map(({ id }) => id), new: moved.map(({ other }) => other) };
  return [{ path: 'data[]', kind, id: moved[0]?.id, ...orders }];
}
