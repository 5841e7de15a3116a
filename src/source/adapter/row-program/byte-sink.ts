// The fast way to answer with a list: copies values from the bytes of a reply into the bytes of the answer, without making
// records.

import type { Field } from '../../../contract/fields.ts';
import { compareIds } from '../../../contract/order.ts';
import { frameOf } from '../../../contract/response-body.ts';
import { packBytes, type PackedBytes } from '../../../kernel/json/learned-keys.ts';
import { DOCUMENT, WHOLE } from '../../../kernel/json/scan-json.ts';
import { compileFieldReader } from '../map/map-record.ts';
import { mappingOf } from '../map/row-fields.ts';
import { INTEGER_FORMS } from '../map/native-id.ts';
import type { WrittenRecords } from '../map/reply-observer.ts';
import { CHECKED } from '../spec/spec-location.ts';
import { compileFieldWriter, generalWriter } from './field-writers.ts';
import type { CurrentRow, RowMapping, RowSink } from './list-program.ts';
import { type FieldWriter, numberIn, OutputBuffer, type WriteContext } from './output-buffer.ts';
import { slotPaths } from './slot-paths.ts';
import { cacheTagOf } from './written-records.ts';

const BYTES = new Uint8Array(DOCUMENT);
const MINUS = 0x2d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;

/** Compiles the writer of ids and of cache tags. It also finds out if the ids ascend. */
function compileIdWriter(
  { resource, fields, id, codec }: RowMapping,
  slot: number,
  { projection, output }: WriteContext,
) {
  const { kinds, starts, ends } = projection;
  const field = fields.find(({ kind }) => kind === 'id');
  const isPlain = id.form === undefined || INTEGER_FORMS.has(id.form);
  const isPlainNumber = id.kind === 'number' && id.pattern === undefined && isPlain;
  // Whole numbers of up to 9 digits fit every integer type that `id.form` can name. Without a form, the projection takes no more
  // than 15 digits for WHOLE.
  const digitsMax = id.form === undefined ? Infinity : 9;
  const idStart = packBytes(Buffer.from(`"${resource.idStart}`));
  const tagStart = packBytes(Buffer.from(cacheTagOf(resource, resource.idStart)));
  /** The id of the row before, as a number if possible. */
  let before: string | number | undefined;
  let isAscending = true;

  const idOf = (one: string | number) => (typeof one === 'string' ? one : `${resource.idStart}${one}`);

  function follow(next: string | number): void {
    if (before !== undefined && isAscending)
      isAscending =
        typeof before === 'number' && typeof next === 'number'
          ? before < next
          : compareIds(idOf(before), idOf(next), resource.idStart.length) < 0;
    before = next;
  }

  /** Writes the id as the general reader reads it. */
  function writeGeneral(): boolean {
    const text = codec.toPublic(projection.valueIn(slot));
    if (text === undefined || field?.accepts(text) !== true) return false;
    output.text(JSON.stringify(text));
    tags.text(cacheTagOf(resource, text));
    follow(text);
    return true;
  }

  return {
    begin(): void {
      before = undefined;
      isAscending = true;
    },
    isAscending: () => isAscending,
    /** False if the row has no usable id. */
    write(): boolean {
      const [start, end] = [starts[slot] as number, ends[slot] as number];
      if (!isPlainNumber || kinds[slot] !== WHOLE || BYTES[start] === MINUS || end - start > digitsMax)
        return writeGeneral();
      output.write(idStart);
      output.copy(start, end);
      output.byte(QUOTE);
      tags.write(tagStart);
      tags.copy(start, end);
      follow(numberIn(start, end));
      return true;
    },
  };
}

/** All lists share two buffers, because a reply is read in one turn of the event loop. */
const output = new OutputBuffer('records');
const tags = new OutputBuffer('tags');

/** A field of a record: the bytes before its value, and the writer of the value. */
type RecordPart = {
  readonly before: PackedBytes;
  readonly write: FieldWriter;
  readonly name: string;
  readonly required: boolean;
  nulls: number;
};

/** How often each field was written as `null`, without the fields that never were. */
function nullsOf(parts: readonly RecordPart[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, nulls } of parts) if (nulls > 0) counts.set(name, nulls);
  return counts;
}

/** Creates the sink that writes rows as the bytes of an answer. */
export function createByteSink(
  mapping: RowMapping,
  { slotsOf, ...row }: CurrentRow,
): RowSink<WrittenRecords> {
  const { fields, map } = mapping;
  const context: WriteContext = { ...row, output };
  const pathsOf = slotPaths(row.projection, mapping, slotsOf);
  const frame = frameOf(fields);
  const end = packBytes(Buffer.from(frame.end));
  const id = compileIdWriter(mapping, slotsOf.get('id')?.[0] ?? -1, context);

  function writeOf(field: Field): FieldWriter {
    if (field.kind === 'id') return () => id.write() || undefined;
    const spec = mappingOf(map, field);
    const slots = slotsOf.get(field.name) ?? [];
    const reader = compileFieldReader(field, spec, CHECKED, pathsOf, mapping.codec);
    return compileFieldWriter(field, spec, slots, context, generalWriter(field, reader, context));
  }

  const parts = fields.map((field, index): RecordPart => {
    const before = packBytes(Buffer.from(frame.before[index] ?? ''));
    return { name: field.name, required: field.required, before, write: writeOf(field), nulls: 0 };
  });
  let recordEnds: number[] = [];

  return {
    begin() {
      output.clear();
      tags.clear();
      id.begin();
      recordEnds = [];
      for (const part of parts) part.nulls = 0;
    },
    add() {
      if (recordEnds.length > 0) {
        output.byte(COMMA);
        tags.byte(SPACE);
      }
      for (const part of parts) {
        output.write(part.before);
        const isValue = part.write();
        if (isValue === undefined) return false;
        if (isValue) continue;
        if (part.required) return false;
        part.nulls += 1;
      }
      output.write(end);
      recordEnds.push(output.length);
      return !output.isFull && !tags.isFull;
    },
    take: () => ({
      length: recordEnds.length,
      bytes: output.bytes(),
      ends: recordEnds,
      tags: tags.ascii(),
      isAscending: id.isAscending(),
      nulls: nullsOf(parts),
    }),
  };
}
