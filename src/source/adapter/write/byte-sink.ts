import type { SourceResourceSpec } from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import { compileOrder } from '../../../contract/order.ts';
import type { Resource } from '../../../contract/resources.ts';
import { frameOf } from '../../../contract/response-body.ts';
import { packBytes, type PackedBytes } from '../../../kernel/json/learned-keys.ts';
import { DOCUMENT, WHOLE } from '../../../kernel/json/scan-json.ts';
import { compileFieldReader, type OnMissingValue } from '../map/map-record.ts';
import { type IdCodec, INTEGER_FORMS } from '../map/native-id.ts';
import type { WrittenRecords } from '../map/reply-observer.ts';
import type { RowSink, RowSlots } from '../projected/list-program.ts';
import type { FieldMapping } from '../projected/slot-paths.ts';
import { CHECKED } from '../spec/spec-location.ts';
import { JsonSink } from './json-sink.ts';
import type { WriteContext, WriteValue } from './write-value.ts';
import { compileValueWriter, generalWriter } from './value-writers.ts';

/** What the rows of a list are mapped by. */
export type RowMapping = FieldMapping & {
  readonly resource: Resource;
  readonly id: SourceResourceSpec['id'];
  readonly codec: IdCodec;
};

const BYTES = new Uint8Array(DOCUMENT);
const MINUS = 0x2d;
const ZERO = 0x30;
const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;
const byId = compileOrder({ field: 'id', descending: false }, 'id');

/** The number in a text of at most 15 digits, which a float holds exactly. */
function numberIn(start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + (BYTES[at] as number) - ZERO;
  return value;
}

/** Compiles the writer of ids and of their tags, which also looks at their order. */
function compileIdWriter(
  { resource, fields, id, codec }: RowMapping,
  slot: number,
  context: WriteContext,
  tags: JsonSink,
) {
  const { projection, sink } = context;
  const { kinds, starts, ends } = projection;
  const field = fields.find(({ kind }) => kind === 'id');
  const isPlain = id.form === undefined || INTEGER_FORMS.has(id.form);
  const isPlainNumber = id.kind === 'number' && id.pattern === undefined && isPlain;
  // Every form of whole numbers holds those of 9 digits; without a form, the projection bounds them.
  const digitsMax = id.form === undefined ? Infinity : 9;
  const idStart = packBytes(Buffer.from(`"${resource.idPrefix}_`));
  const tagStart = packBytes(Buffer.from(`${resource.idPrefix}:`));
  /** The id before, as a number where it is one. */
  let before: string | number | undefined;
  let isAscending = true;

  const idOf = (one: string | number) => (typeof one === 'string' ? one : `${resource.idPrefix}_${one}`);

  function follow(next: string | number): void {
    if (before !== undefined && isAscending)
      isAscending =
        typeof before === 'number' && typeof next === 'number'
          ? before < next
          : byId({ id: idOf(before) }, { id: idOf(next) }) < 0;
    before = next;
  }

  /** Writes the id as the general reader reads it. */
  function writeGeneral(): boolean {
    const text = codec.toPublic(projection.valueIn(slot));
    if (text === undefined || field?.accepts(text) !== true) return false;
    sink.text(JSON.stringify(text));
    tags.text(text.replace('_', ':'));
    follow(text);
    return true;
  }

  return {
    begin(): void {
      before = undefined;
      isAscending = true;
    },
    isAscending: () => isAscending,
    /** False where the row has no id that can be used. */
    write(): boolean {
      const [start, end] = [starts[slot] as number, ends[slot] as number];
      if (!isPlainNumber || kinds[slot] !== WHOLE || BYTES[start] === MINUS || end - start > digitsMax)
        return writeGeneral();
      sink.write(idStart);
      sink.copy(start, end);
      sink.byte(QUOTE);
      tags.write(tagStart);
      tags.copy(start, end);
      follow(numberIn(start, end));
      return true;
    },
  };
}

/** Reading a reply takes one turn, so all views share what they write into. */
const sink = new JsonSink('records');
const tags = new JsonSink('tags');

type Part = {
  readonly before: PackedBytes;
  readonly write: WriteValue;
  readonly name: string;
  nulls: number;
};

/** Creates the sink that writes rows as the bytes of an answer. */
export function createByteSink(
  mapping: RowMapping,
  { projection, slotsOf, onMissingValue }: RowSlots,
): RowSink<WrittenRecords> {
  const { fields, map } = mapping;
  const onMissingInRow: OnMissingValue = (field, reason, found) =>
    onMissingValue(field, reason, found, recordEnds.length);
  const context: WriteContext = { projection, sink, onMissingValue: onMissingInRow };
  const frame = frameOf(fields);
  const end = packBytes(Buffer.from(frame.end));
  const idSlot = slotsOf.get('id')?.[0] ?? -1;
  const id = compileIdWriter(mapping, idSlot, context, tags);

  function writeOf(field: Field): WriteValue {
    const spec = map[field.name];
    if (field.kind === 'id' || spec === undefined) return () => id.write() || undefined;
    const slots = slotsOf.get(field.name) ?? [];
    const paths = slots.map((slot) => () => projection.valueIn(slot));
    const reader = compileFieldReader(field, spec, CHECKED, () => paths, true);
    return compileValueWriter(field, spec, slots, context, generalWriter(field, reader, context));
  }

  const parts = fields.map((field, index): Part => {
    const before = packBytes(Buffer.from(frame.before[index] ?? ''));
    return { name: field.name, before, write: writeOf(field), nulls: 0 };
  });
  let recordEnds: number[] = [];

  return {
    begin() {
      sink.clear();
      tags.clear();
      id.begin();
      recordEnds = [];
      for (const part of parts) part.nulls = 0;
    },
    add() {
      if (recordEnds.length > 0) {
        sink.byte(COMMA);
        tags.byte(SPACE);
      }
      for (const part of parts) {
        sink.write(part.before);
        const isValue = part.write();
        if (isValue === undefined) return false;
        if (!isValue) part.nulls += 1;
      }
      sink.write(end);
      recordEnds.push(sink.length);
      return !sink.isFull && !tags.isFull;
    },
    take: () => ({
      length: recordEnds.length,
      bytes: sink.bytes(),
      ends: recordEnds,
      tags: tags.ascii(),
      isAscending: id.isAscending(),
      nulls: new Map(parts.flatMap(({ name, nulls }) => (name === 'id' ? [] : [[name, nulls]]))),
    }),
  };
}
