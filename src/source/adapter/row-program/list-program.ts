// Reads the rows of a list from the bytes of a reply, without creating the values that no field needs. There are two sinks for
// the rows: one makes records of them, the other the bytes of an answer. The general reader reads all other replies.

import type { ListSpec, SourceResourceSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { Projection } from '../../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileSlotObserver, type TypeObserver } from '../map/certified-types.ts';
import type { OnMissingValue } from '../map/map-record.ts';
import type { IdCodec } from '../map/native-id.ts';
import type { Observed, ReadRecords } from '../map/reply-observer.ts';
import { compileUtf8Body } from '../read/decode.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import { compileListSlots } from './list-slots.ts';
import { BareRows, type FieldMapping, type FieldSlots, wantedDocument } from './slot-paths.ts';

/** Takes the rows of a reply, one by one. A program calls `begin`, then `add` for each row, then `take`. */
export type RowSink<Records extends ReadRecords> = {
  begin(): void;
  /** Adds the current row; false if it is not a valid record. */
  add(): boolean;
  /** All rows since `begin`. */
  take(): Records;
};

/** How the rows of a list are mapped. */
export type RowMapping = FieldMapping & {
  readonly resource: Resource;
  readonly id: SourceResourceSpec['id'];
  readonly codec: IdCodec;
};

/** The row that is read now: its values (in the slots of the projection), and the listener for values that it lacks. */
export type CurrentRow = {
  readonly projection: Projection;
  readonly slotsOf: FieldSlots;
  readonly onMissingValue: OnMissingValue;
};

/** The rows of a reply. `body` is a document that has only the values outside the rows that the source file reads. */
export type ProgramReply<Records> = Observed & { readonly records: Records; readonly body: Json };

/**
 * Compiles the program of a list for a sink; `undefined` if the file uses something that programs cannot do. The program
 * answers `undefined` if a reply is not a list of valid rows, or may not be one. The general reader then decides.
 */
export function compileListProgram<Records extends ReadRecords>(
  context: ReplyContext,
  list: ListSpec,
  { mapping, types }: { readonly mapping: RowMapping; readonly types: TypeObserver },
  createSink: (mapping: RowMapping, row: CurrentRow) => RowSink<Records>,
): ((reply: UpstreamReply) => ProgramReply<Records> | undefined) | undefined {
  const utf8Of = compileUtf8Body(context.source.decode);
  const places = compileListSlots(context, list, mapping);
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, slotsOf, counts } = places;
  const projection = new Projection(root, counts, addRow);
  const observeTypes = compileSlotObserver(types, slotsOf, projection);
  const bare = new BareRows(projection, mapping, slotsOf);
  let missingValues: Parameters<OnMissingValue>[] = [];
  let rows = 0;
  const sink = createSink(mapping, {
    projection,
    slotsOf,
    onMissingValue: (field, reason, found) => void missingValues.push([field, reason, found, rows]),
  });

  function addRow(): boolean {
    if (!sink.add()) return false;
    rows += 1;
    observeTypes?.();
    bare.add();
    return true;
  }

  return function runProgram(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined) return undefined;
    const found = (missingValues = []);
    sink.begin();
    rows = bare.count = 0;
    const isRead = projection.read(bytes);
    // Values of this reply must not stay in memory until the next reply comes.
    missingValues = [];
    if (!isRead) return undefined;
    const body = wantedDocument(projection, root);
    const outcome = context.classify('list', reply, body);
    if (outcome?.is !== 'ok') return undefined;
    // If there is no record, the document may have no rows in the declared form.
    if (rows === 0 || bare.areSome(rows)) return undefined;
    return { records: sink.take(), body, rule: outcome.rule, missingValues: found };
  };
}
