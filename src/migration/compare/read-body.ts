// Reads records back from the body of a v1 answer, so that they can be compared.

import type { Field, ListShape, Value } from '../../contract/fields.ts';
import { type ListElement, ListValue } from '../../contract/list-value.ts';
import { type CanonicalRecord, isEmptyList } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resource.ts';
import { Decimal } from '../../kernel/decimal.ts';
import { type Json, readJson } from '../../kernel/json/json.ts';
import { isList, isObject, scalarText } from '../../kernel/json/values.ts';
import type { SourceAnswer } from '../../pipeline/stages/call.ts';

/** A page of a list, read back from its body. */
export type ListedPage = { readonly records: readonly CanonicalRecord[]; readonly total: number };

function listOf({ of }: ListShape, elements: readonly Json[]): ListValue {
  return new ListValue(
    elements.map((one): ListElement => {
      if (!('kind' in of)) return recordIn(one, of) as ListElement;
      return valueOf(one, of) as ListElement;
    }),
  );
}

function valueOf(value: Json | undefined, { kind, list }: Field): Value {
  if (list !== undefined) return isList(value) ? listOf(list, value) : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  const text = kind === 'decimal' || kind === 'integer' ? scalarText(value) : undefined;
  return (text === undefined ? undefined : Decimal.parse(text)) ?? null;
}

function valueAt(record: Json | undefined, field: Field): Value {
  let value = record;
  for (const key of field.path) value = isObject(value) ? value[key] : undefined;
  return valueOf(value, field);
}

function recordIn(document: Json | undefined, fields: readonly Field[]): CanonicalRecord {
  const values = Object.fromEntries(fields.map((field) => [field.name, valueAt(document, field)]));
  return values as CanonicalRecord;
}

/** Whether an answer has at least one record. */
export function hasRecords(answer: SourceAnswer): boolean {
  return answer.found && !isEmptyList(answer.body);
}

/** Reads the record from the body of a detail answer. Decimals keep their digits. */
export function readDetailBody(resource: Resource, body: Buffer | string): CanonicalRecord {
  const document = readJson(body.toString());
  return recordIn(isObject(document) ? document.data : undefined, resource.detailFields);
}

/** Reads the records and the total from the body of a list answer. */
export function readListBody(resource: Resource, body: Buffer | string): ListedPage {
  const document = readJson(body.toString());
  const { data, meta } = isObject(document) ? document : {};
  const records = isList(data) ? data.map((record) => recordIn(record, resource.itemFields)) : [];
  return { records, total: Number(scalarText(isObject(meta) ? meta.total : undefined) ?? Number.NaN) };
}
