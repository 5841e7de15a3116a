// Reads records from the bytes of a reply without making what no field wants. All else is left to the general reader.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { Projection } from '../../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileMapping, type OnGap } from '../map/map-record.ts';
import { compileUtf8Body } from '../read/decode.ts';
import { compileSlotLook, type TypeWatch } from '../map/certified-types.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import type { Observed } from '../map/reply-observer.ts';
import { CHECKED } from '../spec/spec-location.ts';
import { compileListPlaces } from './list-places.ts';
import { BareRows, type FieldMapping, slotPaths } from './slot-paths.ts';
import { wantedDocument } from './wanted-paths.ts';

/** The records of a reply, and what the file's other paths find in it. */
export type ProjectedRecords = Observed & {
  readonly records: readonly CanonicalRecord[];
  readonly body: Json;
};

/**
 * Compiles the reader of a list's records; `undefined` where the file has something that it does not know. The reader
 * answers `undefined` for a reply that is anything but good rows: the general reader knows what to do, or what is wrong.
 */
export function compileProjectedRecords(
  context: ReplyContext,
  list: ListSpec,
  mapping: FieldMapping,
  types: TypeWatch,
): ((reply: UpstreamReply) => ProjectedRecords | undefined) | undefined {
  const utf8Of = compileUtf8Body(context.source.decode);
  const places = compileListPlaces(context, list, mapping);
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, slotsOf, counts } = places;
  const projection = new Projection(root, counts, addRecord);
  const pathsOf = slotPaths(projection, mapping, slotsOf);
  const map = compileMapping(mapping.map, mapping.fields, context.codec, CHECKED, pathsOf, true);
  const look = compileSlotLook(types, slotsOf, projection);
  const bare = new BareRows(projection, mapping, slotsOf);
  let records: CanonicalRecord[] = [];
  let gaps: Parameters<OnGap>[] = [];
  const addGap: OnGap = (field, reason, found) => void gaps.push([field, reason, found, records.length]);

  /** False where the row has no usable id. */
  function addRecord(): boolean {
    const record = map(null, addGap);
    if (record === undefined) return false;
    records.push(record);
    look?.();
    bare.add();
    return true;
  }

  return function readProjected(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined) return undefined;
    const found = { records: (records = []), gaps: (gaps = []) };
    bare.count = 0;
    const isRead = projection.read(bytes);
    // What was found in a reply is not kept until the next one.
    [records, gaps] = [[], []];
    // Without a record, there may be no rows in the declared form.
    if (!isRead || found.records.length === 0 || bare.areSome(found.records.length)) return undefined;
    const body = wantedDocument(projection, root);
    const outcome = context.classify('list', reply, body);
    if (outcome?.is !== 'ok') return undefined;
    return { ...found, rule: outcome.rule, body };
  };
}
