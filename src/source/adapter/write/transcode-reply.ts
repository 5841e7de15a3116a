// Transcodes a plain page from the bytes of a reply to the bytes of its records. The general reader does the rest.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { Projection } from '../../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { OnGap } from '../map/map-record.ts';
import { compileUtf8Body } from '../read/decode.ts';
import { compileSlotLook, type TypeWatch } from '../map/certified-types.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import type { Observed, WrittenRecords } from '../map/reply-observer.ts';
import { compileListPlaces } from '../projected/list-places.ts';
import { BareRows } from '../projected/slot-paths.ts';
import { wantedDocument } from '../projected/wanted-paths.ts';
import { compileRowWriter, type RowMapping } from './row-writer.ts';

/** The rows of a reply, written, and what the file's other paths find in it. */
export type TranscodedReply = Observed & { readonly records: WrittenRecords; readonly body: Json };

/**
 * Transcodes a reply, without making objects of its rows. `undefined` for anything but a plain page of good records: the
 * general reader then decides what to do, or says what is wrong.
 */
export type Transcoder = (reply: UpstreamReply) => TranscodedReply | undefined;

/** Windows that can be asked for by number: only these make a page without their rows being looked at one by one. */
const RANDOM_WINDOWS: readonly ListSpec['window']['kind'][] = ['offset', 'page', 'none'];

/** Compiles the transcoder of a list; `undefined` where the file has something that it does not know. */
export function compileTranscoder(
  context: ReplyContext,
  list: ListSpec,
  mapping: RowMapping,
  types: TypeWatch,
): Transcoder | undefined {
  const utf8Of = compileUtf8Body(context.source.decode);
  const isPage = list.hydrate === undefined && RANDOM_WINDOWS.includes(list.window.kind);
  const places = isPage ? compileListPlaces(context, list, mapping) : undefined;
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, slotsOf, counts } = places;
  const projection = new Projection(root, counts, () => {
    bare.add();
    look?.();
    return writer.write();
  });
  const look = compileSlotLook(types, slotsOf, projection);
  const bare = new BareRows(projection, mapping, slotsOf);
  let gaps: Parameters<OnGap>[] = [];
  const writer = compileRowWriter(mapping, slotsOf, projection, (...gap) => gaps.push(gap));

  return function transcode(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined) return undefined;
    gaps = [];
    writer.begin();
    bare.count = 0;
    if (!projection.read(bytes)) return undefined;
    const body = wantedDocument(projection, root);
    const outcome = context.classify('list', reply, body);
    if (outcome?.is !== 'ok') return undefined;
    const records = writer.written();
    const found = gaps;
    // What was found in a reply is not kept until the next one.
    gaps = [];
    if (records.length === 0 || bare.areSome(records.length)) return undefined;
    return { records, body, rule: outcome.rule, gaps: found };
  };
}
