// The fast way to read a single record, as `list-program.ts` is for lists.

import type { GetSpec } from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { Projection } from '../../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileMapping, type OnMissingValue } from '../map/map-record.ts';
import { keysOfPath } from '../spec/path.ts';
import { compileUtf8Body } from '../read/decode.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import type { Observed } from '../map/reply-observer.ts';
import { CHECKED } from '../spec/spec-location.ts';
import {
  type FieldMapping,
  fieldSlots,
  outcomePaths,
  slotPaths,
  slotsAt,
  KeySlots,
  placesOf,
  wantedDocument,
} from './slot-paths.ts';

/**
 * Compiles the slots and places of the values in the reply for one record, and separately of those that decide about the outcome.
 * `undefined` if a path does not consist of keys alone.
 */
function compileRecordSlots({ source }: ReplyContext, item: GetSpec['item'], mapping: FieldMapping) {
  const itemAt = typeof item === 'string' ? keysOfPath(item) : undefined;
  const document = new KeySlots(0);
  if (itemAt === undefined || slotsAt(outcomePaths(source, 'get'), document) === undefined) return undefined;
  const deciding = placesOf([...document.wanted]);
  const slotsOf = fieldSlots(mapping, document, itemAt);
  const root = placesOf(document.wanted);
  if (slotsOf === undefined || deciding === undefined || root === undefined) return undefined;
  return { root, deciding, slotsOf, count: document.wanted.length };
}

/**
 * Compiles the program that reads a single record from the bytes of a reply, without creating the values that no field needs.
 * `undefined` if the file uses something that programs cannot do. The program answers `undefined` if a reply is not a valid
 * record, or may not be one. The general reader then decides.
 */
export function compileRecordProgram(
  context: ReplyContext,
  { item, dropWhen, map: spec }: GetSpec,
  fields: readonly Field[],
): ((reply: UpstreamReply) => (Observed & { readonly record: CanonicalRecord }) | undefined) | undefined {
  const mapping = { fields, map: spec };
  const utf8Of = compileUtf8Body(context.source.decode);
  const places = dropWhen.length > 0 ? undefined : compileRecordSlots(context, item, mapping);
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, deciding, slotsOf, count } = places;
  const projection = new Projection(root, { document: count, row: 0 }, () => true);
  const pathsOf = slotPaths(projection, mapping, slotsOf);
  const map = compileMapping(spec, fields, context.codec, CHECKED, pathsOf);

  return function runProgram(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined || !projection.read(bytes)) return undefined;
    const missingValues: Parameters<OnMissingValue>[] = [];
    const record = map(null, (...missing) => void missingValues.push(missing));
    const outcome = context.classify('get', reply, wantedDocument(projection, deciding));
    if (record === undefined || outcome?.is !== 'ok') return undefined;
    return { record, rule: outcome.rule, missingValues };
  };
}
