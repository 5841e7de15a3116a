// Reads the rows of a list from the bytes of a reply, without making what no field wants. Two sinks take the rows: as records,
// or as the bytes of an answer. All else is left to the general reader.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { Projection } from '../../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileSlotLook, type TypeWatch } from '../map/certified-types.ts';
import type { OnMissingValue } from '../map/map-record.ts';
import type { Observed, ReadRecords } from '../map/reply-observer.ts';
import { compileUtf8Body } from '../read/decode.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import { compileListPlaces } from './list-places.ts';
import { BareRows, type FieldMapping, type FieldSlots } from './slot-paths.ts';
import { wantedDocument } from './wanted-paths.ts';

/** Takes the rows of a reply, one by one. */
export type RowSink<Records extends ReadRecords> = {
  begin(): void;
  /** Takes the row in the slots; false if it is no good record. */
  add(): boolean;
  /** What came since `begin`. */
  take(): Records;
};

/** Where the values of a row stand, and who learns what the row lacks. */
export type RowSlots = {
  readonly projection: Projection;
  readonly slotsOf: FieldSlots;
  readonly onMissingValue: OnMissingValue;
};

/** The rows of a reply, and what the file's other paths find in it. */
export type ProgramReply<Records> = Observed & { readonly records: Records; readonly body: Json };

/** Answers `undefined` for a reply that is anything but good rows: the general reader then knows what to do, or what is wrong. */
export type ListProgram<Records> = (reply: UpstreamReply) => ProgramReply<Records> | undefined;

/** Compiles the program of a list for a sink; `undefined` if the file has something that it does not know. */
export function compileListProgram<Records extends ReadRecords>(
  context: ReplyContext,
  list: ListSpec,
  { mapping, types }: { readonly mapping: FieldMapping; readonly types: TypeWatch },
  createSink: (slots: RowSlots) => RowSink<Records>,
): ListProgram<Records> | undefined {
  const utf8Of = compileUtf8Body(context.source.decode);
  const places = compileListPlaces(context, list, mapping);
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, slotsOf, counts } = places;
  const projection = new Projection(root, counts, addRow);
  const look = compileSlotLook(types, slotsOf, projection);
  const bare = new BareRows(projection, mapping, slotsOf);
  let missingValues: Parameters<OnMissingValue>[] = [];
  const sink = createSink({
    projection,
    slotsOf,
    onMissingValue: (...missing) => void missingValues.push(missing),
  });

  function addRow(): boolean {
    if (!sink.add()) return false;
    look?.();
    bare.add();
    return true;
  }

  return function runProgram(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined) return undefined;
    const found = (missingValues = []);
    sink.begin();
    bare.count = 0;
    const isRead = projection.read(bytes);
    // What was found in a reply is not kept until the next one.
    missingValues = [];
    if (!isRead) return undefined;
    const body = wantedDocument(projection, root);
    const outcome = context.classify('list', reply, body);
    if (outcome?.is !== 'ok') return undefined;
    const records = sink.take();
    // Without a record, there may be no rows in the declared form.
    if (records.length === 0 || bare.areSome(records.length)) return undefined;
    return { records, body, rule: outcome.rule, missingValues: found };
  };
}
