// Notes in a few bits which fields a record lacks, so that replies can be compared with earlier ones.

import type { MissingValue, ReadRecords } from '../../source/adapter/map/reply-observer.ts';
import type { Field } from '../../contract/fields.ts';
import type { Resource } from '../../contract/resource.ts';
import { cacheTagOf } from '../../source/adapter/row-program/written-records.ts';

/** Why a record has no value for a field: its key is gone, or its value cannot be read. */
export type LackKind = 'gone' | 'unreadable';

/** The state of a record: two bits for each field, which say that its key is gone or that its value is unreadable. */
export type RecordState = { readonly id: string; readonly bits: number };

/** The most fields that fit into a 32-bit integer with two bits for each. */
const FIELDS_MAX = 15;

/** The meaning of one bit: its field, why the value is missing, and the name of its alarm, such as `field.email.gone`. */
export type FieldBit = { readonly field: string; readonly kind: LackKind; readonly claim: string };

/** The bits of fields, in order. The id has none, because a record without an id is dropped. */
export function fieldBits(fields: readonly Field[]): readonly FieldBit[] {
  const counted = fields.filter(({ kind }) => kind !== 'id').slice(0, FIELDS_MAX);
  return counted.flatMap(({ name: field }) =>
    (['gone', 'unreadable'] as const).map((kind) => ({ field, kind, claim: `field.${field}.${kind}` })),
  );
}

/** The states of the records of a reply, in their order. */
export function statesOf(
  resource: Resource,
  bits: readonly FieldBit[],
  records: ReadRecords,
  missingValues: readonly MissingValue[],
): readonly RecordState[] {
  const masks = new Int32Array(records.length);
  for (const { field, reason, row = 0 } of missingValues) {
    const kind = reason === 'unreadable' ? 'unreadable' : 'gone';
    const bit = bits.findIndex((one) => one.field === field && one.kind === kind);
    if (bit !== -1 && row < masks.length) masks[row] = (masks[row] ?? 0) | (1 << bit);
  }
  const ids = 'tags' in records ? records.tags.split(' ') : records.map(({ id }) => cacheTagOf(resource, id));
  return Array.from(masks, (mask, row) => ({ id: ids[row] ?? '', bits: mask }));
}

/** A cheap digest of a reply: `key` changes with its records, `missingValues` with the values that they lack. */
export function digestOf(
  records: ReadRecords,
  missingValues: readonly MissingValue[],
): { key: string; missingValues: number } {
  const { length } = records;
  const [first, last] =
    'tags' in records
      ? [records.tags.split(' ', 1)[0], records.tags.slice(records.tags.lastIndexOf(' ') + 1)]
      : [records[0]?.id, records[length - 1]?.id];
  let sum = 0;
  for (const { field, reason, row = 0 } of missingValues)
    sum = (sum * 31 + field.length * 7 + field.charCodeAt(0) + reason.length + row * 131) | 0;
  return { key: `${first} ${last} ${length}`, missingValues: sum };
}
