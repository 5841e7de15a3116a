// Reads records from the bytes of a reply without making what no field wants. All else is left to the general reader.

import type { GetSpec, ListSpec, MappingSpec } from '../../config/schema/source.ts';
import type { Field } from '../../contract/fields.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Json } from '../../kernel/json/json.ts';
import { Projection } from '../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { compileMapping, type OnGap, type PathCompiler } from '../map/map-record.ts';
import { keysOfPath } from '../path.ts';
import { CHECKED } from '../spec-location.ts';
import { compileUtf8Body } from './decode.ts';
import { compileListPlaces, slotsAt } from './list-places.ts';
import type { ReplyContext } from './read-reply.ts';
import { KeySlots, placesOf, wantedDocument } from './wanted-paths.ts';

/** The records of a reply, and what the file's other paths find in it. */
export type ProjectedRecords = {
  readonly records: readonly CanonicalRecord[];
  readonly body: Json;
  readonly gaps: readonly Parameters<OnGap>[];
};

/** What rows are mapped by. */
type Mapping = { readonly fields: readonly Field[]; readonly map: MappingSpec };

/** Finds the values of fields in the slots of a projection. */
function pathsIn(
  projection: Projection,
  { fields, map }: Mapping,
  slotsOf: ReadonlyMap<string, readonly number[]>,
): PathCompiler {
  const slots = new Map<string | readonly string[], readonly number[]>(
    fields.map(({ name }) => [map[name]?.from ?? [], slotsOf.get(name) ?? []]),
  );
  return (from) => (slots.get(from) ?? []).map((slot) => () => projection.valueIn(slot));
}

/**
 * Compiles the reader of a list's records; `undefined` where the file has something that it does not know. The reader
 * answers `undefined` for a reply that is anything but good rows: the general reader knows what to do, or what is wrong.
 */
export function compileProjectedRecords(
  context: ReplyContext,
  list: ListSpec,
  mapping: Mapping,
): ((reply: UpstreamReply) => ProjectedRecords | undefined) | undefined {
  const utf8Of = compileUtf8Body(context.source.decode);
  const places = compileListPlaces(context, list, mapping);
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, slotsOf, counts } = places;
  const projection = new Projection(root, counts, addRecord);
  const pathsOf = pathsIn(projection, mapping, slotsOf);
  const map = compileMapping(mapping.map, mapping.fields, context.codec, CHECKED, pathsOf);
  let records: CanonicalRecord[] = [];
  let gaps: Parameters<OnGap>[] = [];
  const addGap: OnGap = (...gap) => void gaps.push(gap);

  /** False where the row has no usable id. */
  function addRecord(): boolean {
    const record = map(null, addGap);
    if (record === undefined) return false;
    records.push(record);
    return true;
  }

  return function readProjected(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined) return undefined;
    const found = { records: (records = []), gaps: (gaps = []) };
    const isRead = projection.read(bytes);
    // What was found in a reply is not kept until the next one.
    [records, gaps] = [[], []];
    // Without a record, there may be no rows in the declared form.
    if (!isRead || found.records.length === 0) return undefined;
    const body = wantedDocument(projection, root);
    const outcome = context.classify('list', reply, body);
    if (outcome?.is !== 'ok') return undefined;
    context.onRule(outcome.rule);
    return { ...found, body };
  };
}

/** A record that was read, with what it lacks. */
type ProjectedRecord = { readonly record: CanonicalRecord; readonly gaps: readonly Parameters<OnGap>[] };

/** The slots of a record's fields; `undefined` where one of their paths has more than keys. */
function recordSlots(
  { fields, map }: Mapping,
  itemAt: readonly string[],
  document: KeySlots,
): ReadonlyMap<string, readonly number[]> | undefined {
  const slotsOf = new Map<string, readonly number[]>();
  for (const { name } of fields) {
    const paths = [map[name]?.from ?? []].flat().map(keysOfPath);
    if (map[name] === undefined || paths.includes(undefined)) return undefined;
    const slots = paths.map((keys = []) => document.at([...itemAt, ...keys]));
    slotsOf.set(name, slots);
  }
  return slotsOf;
}

/**
 * Compiles the reader of a single record; `undefined` where the file has something that it does not know. The reader answers
 * `undefined` for a reply that is anything but a good record.
 */
export function compileProjectedRecord(
  context: ReplyContext,
  { item, dropWhen, map: spec }: GetSpec,
  fields: readonly Field[],
): ((reply: UpstreamReply) => ProjectedRecord | undefined) | undefined {
  const utf8Of = compileUtf8Body(context.source.decode);
  const itemAt = typeof item === 'string' ? keysOfPath(item) : undefined;
  if (utf8Of === undefined || itemAt === undefined || dropWhen.length > 0) return undefined;
  const mapping = { fields, map: spec };
  const conditions = context.source.outcomes.flatMap(({ on, at }) => (on === 'list' ? [] : (at ?? [])));
  const document = new KeySlots(0);
  if (slotsAt(conditions, document) === undefined) return undefined;
  // Only these are looked at in the document itself.
  const judged = placesOf([...document.wanted]);
  const slotsOf = recordSlots(mapping, itemAt, document);
  const root = placesOf(document.wanted);
  if (slotsOf === undefined || judged === undefined || root === undefined) return undefined;
  const projection = new Projection(root, { document: document.wanted.length, row: 0 }, () => true);
  const map = compileMapping(spec, fields, context.codec, CHECKED, pathsIn(projection, mapping, slotsOf));

  return function readProjected(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined || !projection.read(bytes)) return undefined;
    const gaps: Parameters<OnGap>[] = [];
    const record = map(null, (...gap) => void gaps.push(gap));
    const outcome = context.classify('get', reply, wantedDocument(projection, judged));
    if (record === undefined || outcome?.is !== 'ok') return undefined;
    context.onRule(outcome.rule);
    return { record, gaps };
  };
}
