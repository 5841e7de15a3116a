import type { GetSpec } from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { WantedPlace } from '../../../kernel/json/learned-keys.ts';
import { Projection } from '../../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileMapping, type OnMissingValue } from '../map/map-record.ts';
import { keysOfPath } from '../spec/path.ts';
import { proofPaths } from '../read/credential-proof.ts';
import { compileUtf8Body } from '../read/decode.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import type { Observed } from '../map/reply-observer.ts';
import { CHECKED } from '../spec/spec-location.ts';
import { type FieldMapping, type FieldSlots, fieldSlots, slotPaths, slotsAt } from './slot-paths.ts';
import { KeySlots, placesOf, wantedDocument } from './wanted-paths.ts';

/** A record that was read, with what its observer is told. */
type ProjectedRecord = Observed & { readonly record: CanonicalRecord };

/** The places of a document with one record. */
type RecordPlaces = {
  readonly root: WantedPlace;
  /** The places that decide about the outcome. */
  readonly judged: WantedPlace;
  readonly slotsOf: FieldSlots;
  readonly count: number;
};

/** What a file wants of the reply to a request for one record; `undefined` where its paths have more than keys. */
function compileRecordPlaces(
  { source }: ReplyContext,
  item: GetSpec['item'],
  mapping: FieldMapping,
): RecordPlaces | undefined {
  const itemAt = typeof item === 'string' ? keysOfPath(item) : undefined;
  const conditions = source.outcomes.flatMap(({ on, at }) => (on === 'list' ? [] : (at ?? [])));
  const document = new KeySlots(0);
  const judgedPaths = [...conditions, ...proofPaths(source)];
  if (itemAt === undefined || slotsAt(judgedPaths, document) === undefined) return undefined;
  const judged = placesOf([...document.wanted]);
  const slotsOf = fieldSlots(mapping, document, itemAt);
  const root = placesOf(document.wanted);
  if (slotsOf === undefined || judged === undefined || root === undefined) return undefined;
  return { root, judged, slotsOf, count: document.wanted.length };
}

/**
 * Compiles the reader of a single record; `undefined` where the file has something that it does not know. The reader answers
 * `undefined` for a reply that is anything but a good record: the general reader knows what to do, or what is wrong.
 */
export function compileProjectedRecord(
  context: ReplyContext,
  { item, dropWhen, map: spec }: GetSpec,
  fields: readonly Field[],
): ((reply: UpstreamReply) => ProjectedRecord | undefined) | undefined {
  const mapping = { fields, map: spec };
  const utf8Of = compileUtf8Body(context.source.decode);
  const places = dropWhen.length > 0 ? undefined : compileRecordPlaces(context, item, mapping);
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, judged, slotsOf, count } = places;
  const projection = new Projection(root, { document: count, row: 0 }, () => true);
  const map = compileMapping(
    spec,
    fields,
    context.codec,
    CHECKED,
    slotPaths(projection, mapping, slotsOf),
    true,
  );

  return function readProjected(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined || !projection.read(bytes)) return undefined;
    const missingValues: Parameters<OnMissingValue>[] = [];
    const record = map(null, (...missing) => void missingValues.push(missing));
    const outcome = context.classify('get', reply, wantedDocument(projection, judged));
    if (record === undefined || outcome?.is !== 'ok') return undefined;
    return { record, rule: outcome.rule, missingValues };
  };
}
