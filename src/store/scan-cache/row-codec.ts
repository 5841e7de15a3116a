// Writes the records of a scan as JSON values and reads them back without loss, such as trailing zeros of decimals.

import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Field, ListShape, Value } from '../../contract/fields.ts';
import { isScalar, type ListElement, ListValue } from '../../contract/list-value.ts';
import { Decimal } from '../../kernel/decimal.ts';

/** A value that JSON stores without loss. A list is an array of its elements; an element with fields is an array of values. */
type RowValue = string | boolean | null | readonly RowValue[];

/** A record as values that JSON stores without loss, in the order of the fields. */
export type RowValues = readonly RowValue[];

/** Serialises the records of a resource without loss. */
export type RowCodec = ReturnType<typeof compileRowCodec>;

const DECIMAL = /^(-?\d+)e-(\d{1,9})$/;

function readDecimal(text: string): Decimal | undefined {
  const [, digits, scale] = DECIMAL.exec(text) ?? [];
  return digits === undefined ? undefined : new Decimal(BigInt(digits), Number(scale));
}

/** Reads the values of some fields; `undefined` if a value does not fit its field. */
function readValues(fields: readonly Field[], values: unknown): Record<string, Value> | undefined {
  if (!Array.isArray(values) || values.length !== fields.length) return undefined;
  const record: Record<string, Value> = {};
  for (const [at, field] of fields.entries()) {
    const value = readValue(field, values[at]);
    if (value === undefined) return undefined;
    record[field.name] = value;
  }
  return record;
}

function readList({ of }: ListShape, values: unknown): ListValue | undefined {
  if (!Array.isArray(values)) return undefined;
  const elements: ListElement[] = [];
  for (const value of values) {
    const element = 'kind' in of ? readValue(of, value) : readValues(of, value);
    if (element === undefined || element === null) return undefined;
    elements.push(element as ListElement);
  }
  return new ListValue(elements);
}

function readValue({ kind, list }: Field, value: unknown): Value | undefined {
  if (value === null) return kind === 'id' ? undefined : null;
  if (list !== undefined) return readList(list, value);
  if (kind === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (typeof value !== 'string') return undefined;
  return kind === 'decimal' || kind === 'integer' ? readDecimal(value) : value;
}

function writeList({ of }: ListShape, { elements }: ListValue): readonly RowValue[] {
  return elements.map((element) => {
    if (isScalar(element)) return writeValue(element, undefined);
    return 'kind' in of ? null : of.map(({ name }) => writeValue(element[name] ?? null, undefined));
  });
}

function writeValue(value: Value, list: ListShape | undefined): RowValue {
  if (value instanceof Decimal) return `${value.digits}e-${value.scale}`;
  if (!(value instanceof ListValue)) return value;
  return list === undefined ? null : writeList(list, value);
}

/** Compiles the codec of rows with these fields. Decimals are written as `<digits>e-<scale>`, so 19.90 stays 19.90. */
export function compileRowCodec(fields: readonly Field[]) {
  return {
    toValues: (record: CanonicalRecord): RowValues =>
      fields.map(({ name, list }) => writeValue(record[name] ?? null, list)),
    /** The record with these values; `undefined` if they are not the values of a record. */
    fromValues: (values: unknown) => readValues(fields, values) as CanonicalRecord | undefined,
  };
}
