// Writes the JSON bodies of answers, and checks each value against the contract while it is written.

import { invalidReply } from '../kernel/errors/fault.ts';
import type { Field, Value } from './fields.ts';
import type { Resource } from './resource.ts';

/** A v1 record: canonical values by field name (`profile.bio` for nested ones). Every field is present. */
export type CanonicalRecord = Readonly<Record<string, Value>> & { readonly id: string };

/** The pagination part of a list's answer. */
export type Meta = { readonly total: number; readonly page: number; readonly limit: number };

/** Writes a record as JSON. @throws GatewayError `upstream_invalid_response` if the record breaks the contract */
type WriteRecord = (record: CanonicalRecord) => string;

/** Characters that JSON may have to escape: quotes, backslashes, control characters and surrogates. */
// eslint-disable-next-line no-control-regex -- the grammar is defined by control characters
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A value as JSON. The result is that of `JSON.stringify`, which is slower for short texts. */
export function jsonOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value !== 'string') return value.toString();
  return ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`;
}

/**
 * The fixed JSON text around the values of a view (the fields of an item of a list, or of a single record): `before` each
 * field's value, and after the last one (`end`).
 */
export function frameOf(fields: readonly Field[]): {
  readonly before: readonly string[];
  readonly end: string;
} {
  const before: string[] = [];
  let open: readonly string[] = [];
  for (const [index, { path }] of fields.entries()) {
    const groups = path.slice(0, -1);
    const differs = groups.findIndex((group, depth) => group !== open[depth]);
    const shared = differs === -1 ? groups.length : differs;
    const closed = '}'.repeat(open.length - Math.min(shared, open.length));
    const opened = groups.slice(shared).map((group) => `${JSON.stringify(group)}:{`);
    const start = index === 0 ? '{' : `${closed},`;
    before.push(`${start}${opened.join('')}${JSON.stringify(path.at(-1))}:`);
    open = groups;
  }
  return { before, end: '}'.repeat(open.length + 1) };
}

/**
 * Compiles the writer of a view. Values of a record that the view does not have are ignored. This is the last check before
 * a client: a value that breaks the contract's schema is never sent. The schema has no rules beyond its fields.
 */
function compileWriter(fields: readonly Field[]): WriteRecord {
  const { before, end } = frameOf(fields);
  const parts = fields.map(({ name, accepts }, index) => ({ name, accepts, before: before[index] ?? '' }));
  return function write(record) {
    let json = '';
    for (const part of parts) {
      const value = record[part.name] ?? null;
      if (!part.accepts(value)) throw brokenContract(parts, record);
      json += part.before + jsonOf(value);
    }
    return json + end;
  };
}

function brokenContract(fields: readonly Pick<Field, 'name' | 'accepts'>[], record: CanonicalRecord): Error {
  const refused = fields.filter(({ name, accepts }) => !accepts(record[name] ?? null));
  const where = refused.map(({ name }) => name).join(', ');
  return invalidReply('contract', `the mapped record does not satisfy the contract at: ${where}`);
}

const writers = new WeakMap<readonly Field[], WriteRecord>();

/** The writer of a view's records; it is compiled on first use. */
export function writerOf(fields: readonly Field[]): WriteRecord {
  const known = writers.get(fields);
  if (known !== undefined) return known;
  const made = compileWriter(fields);
  writers.set(fields, made);
  return made;
}

/** The JSON text before the records of a list; `listEnd` writes the text after them. */
const LIST_START = '{"data":[';
const listEnd = ({ total, page, limit }: Meta) =>
  `],"meta":{"total":${String(total)},"page":${String(page)},"limit":${String(limit)}}}`;

/**
 * The JSON body of a list.
 * @throws GatewayError `upstream_invalid_response` if a record breaks the contract
 */
export function listBody(resource: Resource, records: readonly CanonicalRecord[], meta: Meta): string {
  const write = writerOf(resource.itemFields);
  let data = '';
  for (const record of records) data += data === '' ? write(record) : `,${write(record)}`;
  return LIST_START + data + listEnd(meta);
}

/** The body of a list whose records are already JSON, with commas between them. */
export function writtenListBody(records: Buffer, meta: Meta): Buffer {
  const end = listEnd(meta);
  // The body gets a memory block of its own, so the cache can keep it without a copy.
  const body = Buffer.allocUnsafeSlow(LIST_START.length + records.length + end.length);
  body.write(LIST_START, 'latin1');
  records.copy(body, LIST_START.length);
  body.write(end, LIST_START.length + records.length, 'latin1');
  return body;
}

const EMPTY_START = Buffer.from(`${LIST_START}]`);

/** Whether a body is a list without records. */
export function isEmptyList(body: Buffer): boolean {
  return body.subarray(0, EMPTY_START.length).equals(EMPTY_START);
}

/**
 * The JSON body of a single record.
 * @throws GatewayError `upstream_invalid_response` if the record breaks the contract
 */
export function detailBody(resource: Resource, record: CanonicalRecord): string {
  if (!resource.hasSingle) throw new Error(`${resource.name} has no single-record view`);
  return `{"data":${writerOf(resource.detailFields)(record)}}`;
}
