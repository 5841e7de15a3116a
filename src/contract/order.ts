// The order of records in the contract: by the value of the sort field, with `null` last in both directions, and records
// with equal values by ascending id. And which records a filter keeps. Scans are sorted and filtered by it, and the claims
// of sources are checked with it. A change here needs a higher `CONTRACT_VERSION` (source/compile-sources.ts).

import { Decimal } from '../kernel/decimal.ts';
import type { CanonicalRecord } from './response-body.ts';
import type { Field, Value } from './fields.ts';
import { isScalar, type KnownValue, type ListElement, ListValue } from './list-value.ts';
import type { Filter, Sort } from './query.ts';

/** The form of a value in which records are compared by it: a text in code point order, or a number. */
export type SortKey = string | Decimal;

const ZERO = 0x30;

/** Whether an id has only digits after its prefix, without a leading zero. */
function isNumbered(id: string, start: number): boolean {
  const { length } = id;
  if (start >= length) return false;
  for (let at = start; at < length; at += 1) {
    const unit = id.charCodeAt(at);
    if (unit < ZERO || unit > 0x39) return false;
  }
  return id.charCodeAt(start) !== ZERO || length - start === 1;
}

/**
 * The sort key of an id. Ids with a number come first, by number; all others follow, as text. The key begins with the
 * number of digits, so numbers of any size can be compared as text. `start` is the length of the prefix of the id.
 * @internal
 */
export function idSortKey(id: string, start: number): string {
  return isNumbered(id, start) ? `0${String.fromCharCode(id.length - start)}${id.slice(start)}` : `1${id}`;
}

/**
 * Compares two ids of one resource in the contract's order: negative if `a` comes first, 0 only if they are equal. The
 * result is the same as for their sort keys, but faster. `start` is the length of the prefix that both ids have.
 */
export function compareIds(a: string, b: string, start: number): number {
  if (!isNumbered(a, start) || !isNumbered(b, start))
    return compareCodePoints(idSortKey(a, start), idSortKey(b, start));
  if (a.length !== b.length) return a.length - b.length;
  for (let at = start; at < a.length; at += 1) {
    const order = a.charCodeAt(at) - b.charCodeAt(at);
    if (order !== 0) return order;
  }
  return 0;
}

/** The parts of a field that decide the order of its values: its kind, the values of an enum, the prefix of an id. */
type SortField = Pick<Field, 'kind' | 'values' | 'idStart'>;

/** The rules that order records by a field, and by their ids if the values are equal. */
export type SortRules = SortField & { readonly recordIdStart: number };

/** The rules for a sort of a list. A field that the list does not have is ordered as text. */
export function sortFieldOf(fields: readonly Field[], { field }: Sort): SortRules {
  const { kind, values, idStart } = fields.find(({ name }) => name === field) ?? { kind: 'text' };
  // The id is the first field of every view.
  return { kind, values, idStart, recordIdStart: fields[0]?.idStart ?? 0 };
}

/** The sort key of a canonical value that is not null. */
function sortKeyOf({ kind, values, idStart = 0 }: SortField, value: KnownValue | ListValue): SortKey {
  if (typeof value === 'boolean') return value ? '1' : '0';
  // A contract cannot sort by a list, so any order is right here.
  if (typeof value !== 'string') return value instanceof ListValue ? value.toString() : value;
  switch (kind) {
    case 'id':
    case 'reference':
      return idSortKey(value, idStart);
    case 'datetime':
      // Without the Z, an instant with milliseconds sorts directly after the same instant without them.
      return value.slice(0, -1);
    case 'enum':
      return String.fromCharCode(values?.indexOf(value) ?? 0);
    default:
      return value.normalize('NFC');
  }
}

/** Maps a UTF-16 unit to code point order: surrogates come last, because they are parts of the highest code points. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Compares texts by Unicode code point (JavaScript's own `<` compares UTF-16 units, which differs).
 * @internal
 */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/**
 * Compares two sort keys of one field: negative if `a` comes first.
 * @internal
 */
export function compareKeys(a: SortKey, b: SortKey): number {
  if (a instanceof Decimal) return a.compare(b as Decimal);
  return compareCodePoints(a, b as string);
}

/** Compares keys that may be null. Null comes last in both directions. */
function compareNullable(a: SortKey | null, b: SortKey | null, sort: Sort): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return sort.descending ? -compareKeys(a, b) : compareKeys(a, b);
}

function fieldKeyOf(record: CanonicalRecord, { field }: Sort, by: SortField): SortKey | null {
  const value = record[field] ?? null;
  return value === null ? null : sortKeyOf(by, value);
}

/** Compares two records: negative if `a` comes before `b`. */
export type RecordOrder = (a: CanonicalRecord, b: CanonicalRecord) => number;

/** Compiles the contract's order for records that are compared only once or twice. `by` has the rules of the sort field. */
export function compileOrder(sort: Sort, by: SortRules): RecordOrder {
  const start = by.recordIdStart;
  if (sort.field === 'id')
    return (a, b) => (sort.descending ? compareIds(b.id, a.id, start) : compareIds(a.id, b.id, start));
  return (a, b) =>
    compareNullable(fieldKeyOf(a, sort, by), fieldKeyOf(b, sort, by), sort) || compareIds(a.id, b.id, start);
}

const BY_ID: Sort = { field: 'id', descending: false };

/** Compiles the order by ascending id of records with these fields. */
export function compileIdOrder(fields: readonly Field[]): RecordOrder {
  return compileOrder(BY_ID, sortFieldOf(fields, BY_ID));
}

/** The order by the sort field alone: records with equal values are equal, whatever their ids. */
export type FieldOrder = {
  readonly keyOf: (record: CanonicalRecord) => SortKey | null;
  readonly compare: (a: SortKey | null, b: SortKey | null) => number;
};

/** Compiles the order by the sort field alone, without ids. */
export function compileFieldOrder(sort: Sort, by: SortField): FieldOrder {
  return {
    keyOf: (record) => fieldKeyOf(record, sort, by),
    compare: (a, b) => compareNullable(a, b, sort),
  };
}

/** The sort key of a record and the key of its id. */
export type OrderKey = { readonly key: SortKey | null; readonly idKey: string };

/** Compiles the contract's order for many records: their keys are computed once, because each is compared often. */
export function compileKeyedOrder(sort: Sort, by: SortRules) {
  return {
    keyOf: (record: CanonicalRecord): OrderKey => ({
      key: fieldKeyOf(record, sort, by),
      idKey: idSortKey(record.id, by.recordIdStart),
    }),
    compare: (a: OrderKey, b: OrderKey) =>
      compareNullable(a.key, b.key, sort) || compareCodePoints(a.idKey, b.idKey),
  };
}

/** Whether two values are equal. Numbers are compared by value, so 19.9 equals 19.90. */
function isEqual(value: KnownValue, wanted: KnownValue): boolean {
  if (value instanceof Decimal) return wanted instanceof Decimal && value.compare(wanted) === 0;
  return value === wanted;
}

function isSameElement(a: ListElement | undefined, b: ListElement | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (isScalar(a) || isScalar(b)) return isScalar(a) && isScalar(b) && isEqual(a, b);
  return Object.keys(a).every((key) => isSameValue(a[key] ?? null, b[key] ?? null));
}

/** Whether two values of one field are the same: numbers by value, lists element by element. */
export function isSameValue(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b;
  if (!(a instanceof ListValue) || !(b instanceof ListValue))
    return !(a instanceof ListValue) && !(b instanceof ListValue) && isEqual(a, b);
  return a.length === b.length && a.elements.every((element, at) => isSameElement(element, b.elements[at]));
}

/** Compares two numbers, two times or two dates: negative if the first is less, `NaN` if they cannot be compared. */
export function compareBounds(value: KnownValue, wanted: string | Decimal): number {
  if (value instanceof Decimal) return wanted instanceof Decimal ? value.compare(wanted) : NaN;
  if (typeof value !== 'string' || typeof wanted !== 'string') return NaN;
  // Without the Z, an instant with milliseconds comes directly after the same instant without them.
  return compareCodePoints(withoutZone(value), withoutZone(wanted));
}

const withoutZone = (text: string) => (text.endsWith('Z') ? text.slice(0, -1) : text);

/** Whether a value satisfies a filter. An unknown value satisfies only a filter that asks for records without a value. */
export function matches(value: Value, filter: Filter): boolean {
  if (filter.op === 'known') return (value !== null) === filter.value;
  if (value === null) return false;
  if (value instanceof ListValue)
    return filter.op === 'has' && value.elements.some((one) => isScalar(one) && isEqual(one, filter.value));
  switch (filter.op) {
    case 'has':
      return false;
    case 'eq':
      return isEqual(value, filter.value);
    case 'in':
      return filter.value.some((one) => isEqual(value, one));
    case 'ge':
      return compareBounds(value, filter.value) >= 0;
    case 'le':
      return compareBounds(value, filter.value) <= 0;
    case 'gt':
      return compareBounds(value, filter.value) > 0;
    case 'lt':
      return compareBounds(value, filter.value) < 0;
  }
}
