// The messages between the gateway and the thread that reads large replies, and how rows are written into them.

import type { Rows } from '../../../source/adapter/compile.ts';
import type { MissingReason, OnMissingValue } from '../../../source/adapter/map/map-record.ts';
import { type RecordView, viewSpecOf } from '../../../source/adapter/map/row-fields.ts';
import type { ProofSpec } from '../../../config/schema/net/proof.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';
import { type Json, jsonText, readJson } from '../../../kernel/json/json.ts';
import type { ContractSpec } from '../../../contract/contract-schema.ts';
import type { Resource, ResourceName } from '../../../contract/resource.ts';
import type { ErrorCode } from '../../../kernel/errors/catalogue.ts';
import type { InvalidReason, SourceHealth } from '../../../kernel/errors/fault.ts';
import { compileRowCodec, type RowCodec } from '../../../store/scan-cache/row-codec.ts';

/** The data that the reading thread starts with: the source without its credentials. */
export type ReaderData = {
  readonly spec: SourceSpec;
  readonly contract: ContractSpec;
  readonly resource: ResourceName;
  /** The proof of the credential that replies must show. */
  readonly proof: ProofSpec | undefined;
};

/** What is read from a reply: rows, the details of a row, a single record, or a total (`count`). */
export type ReplyView = RecordView | 'count';

/** Compiles the codecs that write and read the records of each view. A total has no records. */
export function compileCodecs(source: SourceSpec, resource: Resource): Readonly<Record<ReplyView, RowCodec>> {
  const own = source.resources[resource.name];
  const codecOf = (view: RecordView) =>
    compileRowCodec((own && viewSpecOf(own, resource, view)?.fields) ?? []);
  return {
    list: compileRowCodec(resource.itemFields),
    details: codecOf('details'),
    get: codecOf('get'),
    count: compileRowCodec([]),
  };
}

/** A reply that is sent to the reading thread. */
export type ReadingTask = {
  readonly id: number;
  readonly view: ReplyView;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
};

/** The fields of a GatewayError that can be sent to another thread. */
export type CarriedFault = {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly reason: InvalidReason | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly credentialRefused: boolean;
  readonly sourceHealth: SourceHealth | undefined;
};

/**
 * The result of the thread: the parts of the reply, a fault, or that the thread cannot read the reply. `rule` is the index
 * of the response rule that decided.
 */
export type ReadingResult = { readonly id: number } & (
  | { readonly rule: number | undefined; readonly parts: readonly Uint8Array[] }
  | { readonly rule: number | undefined; readonly fault: CarriedFault }
  | { readonly failed: true }
);

/** A missing value: field, reason, the JSON of what was found if that is short, and the number of the record in its part. */
type WrittenMissing = readonly [field: string, reason: MissingReason, found: string | null, row?: number];

/** One part of the rows of a reply. The last part also has the rest of the reply, such as its total. */
type Part = {
  readonly rows: readonly unknown[];
  readonly missingValues: readonly WrittenMissing[];
  readonly received: number;
  readonly rest?: Omit<Rows, 'records' | 'received'>;
};

/** The most rows, and missing values, of one part: few enough to be read at once. */
const PART_ROWS = 256;

/** The most characters of a found value that is sent. Parsing a longer one would take the time that the thread saves. */
const FOUND_MAX = 512;

/** Legacy JSON as text, with all digits of long numbers; `null` for no value, and for one that is too long. */
function writeFound(value: Json | undefined): string | null {
  if (value === undefined) return null;
  const text = jsonText(value);
  return text.length > FOUND_MAX ? null : text;
}

/** Reads a reply by `read`, and writes its rows as parts. @throws what `read` throws */
export function writeParts(
  codec: RowCodec,
  read: (onMissingValue: OnMissingValue) => Rows,
): readonly Uint8Array[] {
  const missingValues: WrittenMissing[] = [];
  // The missing values of a record are in the same part as the record.
  const missingOfRows = new Map<number, WrittenMissing[]>();
  const { records, received, ...rest } = read((field, reason, found, row) => {
    const json = writeFound(found);
    if (row === undefined) missingValues.push([field, reason, json]);
    else {
      const index = Math.floor(row / PART_ROWS);
      const own = missingOfRows.get(index) ?? [];
      if (own.length === 0) missingOfRows.set(index, own);
      own.push([field, reason, json, row % PART_ROWS]);
    }
  });
  const count = Math.max(1, Math.ceil(Math.max(records.length, missingValues.length) / PART_ROWS));
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index * PART_ROWS, (index + 1) * PART_ROWS];
    const rows = records.slice(from, to).map((record) => codec.toValues(record));
    const isLast = index === count - 1;
    const part: Part = {
      rows,
      missingValues: [...missingValues.slice(from, to), ...(missingOfRows.get(index) ?? [])],
      received: rows.length + (isLast ? received - records.length : 0),
      ...(isLast && { rest }),
    };
    return Uint8Array.from(Buffer.from(JSON.stringify(part)));
  });
}

/** Reads the rows of one part. `onMissingValue` gets its missing values, just as if the reply itself were read. */
export function readPart(codec: RowCodec, bytes: Uint8Array, onMissingValue: OnMissingValue): Rows {
  const { rows, missingValues, received, rest } = JSON.parse(Buffer.from(bytes).toString()) as Part;
  const records = rows.map((values) => {
    const record = codec.fromValues(values);
    if (record === undefined) throw new Error('the reading thread wrote a record that cannot be read');
    return record;
  });
  for (const [field, reason, found, row] of missingValues)
    onMissingValue(field, reason, found === null ? undefined : readJson(found), row);
  return { records, received, total: undefined, next: undefined, ...rest };
}
