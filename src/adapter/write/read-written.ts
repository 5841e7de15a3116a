// The fast way from a reply to an answer. What it does not know goes the general way, by `read/` and `map/`: the reader of records.

import type { ListSpec } from '../../config/schema/source.ts';
import type { Json } from '../../kernel/json/json.ts';
import { Projection } from '../../kernel/json/projection.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import type { OnGap } from '../map/map-record.ts';
import { keysOfPath } from '../path.ts';
import { compileUtf8Body } from '../read/decode.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import { compileRowWriter, fieldSlots, type RowMapping, type WrittenRecords } from './row-writer.ts';
import { wantedDocument, placesOf, KeySlots } from './wanted-paths.ts';

/** The rows of a reply, written, and what the file's other paths find in it. */
export type WrittenReply = {
  readonly records: WrittenRecords;
  readonly body: Json;
  readonly gaps: readonly Parameters<OnGap>[];
};

/**
 * Reads the bytes of a reply to the bytes of its records. `undefined` where it is anything but a plain page of good
 * records: the reader of records knows what to do, or what is wrong.
 */
export type WrittenReader = (reply: UpstreamReply) => WrittenReply | undefined;

/** The paths that a file looks at in the document itself, besides that of the rows. */
function documentPaths({ outcomes }: ReplyContext['source'], { total, window }: ListSpec): readonly string[] {
  const conditions = outcomes.flatMap(({ on, at }) => (on === 'get' ? [] : (at ?? [])));
  const totals = total === undefined || total.count !== undefined ? [] : [total.at, total.unless?.at];
  const echoes = 'echo' in window ? Object.values(window.echo ?? {}) : [];
  return [...conditions, ...totals, ...echoes].filter((path) => path !== undefined);
}

/** Windows that can be asked for by number: only these make a page without their rows being looked at one by one. */
const RANDOM_WINDOWS: readonly ListSpec['window']['kind'][] = ['offset', 'page', 'none'];

/** What a file wants of a reply, with a slot for each value; `undefined` where its paths have more than keys. */
function compilePlaces({ source }: ReplyContext, list: ListSpec, { fields, map }: RowMapping) {
  const { items, dropWhen, hydrate, window } = list;
  const rowsAt = typeof items === 'string' ? keysOfPath(items) : undefined;
  const isPlain = dropWhen.length === 0 && hydrate === undefined && RANDOM_WINDOWS.includes(window.kind);
  if (rowsAt === undefined || !isPlain) return undefined;
  const document = new KeySlots(0);
  for (const path of documentPaths(source, list)) {
    const keys = keysOfPath(path);
    if (keys === undefined) return undefined;
    document.at(keys);
  }
  const row = new KeySlots(document.wanted.length);
  const slotsOf = new Map<string, readonly number[]>();
  for (const { name } of fields) {
    const mapping = map[name];
    const slots = mapping && fieldSlots(mapping, row);
    if (slots === undefined) return undefined;
    slotsOf.set(name, slots);
  }
  const rowPlace = placesOf(row.wanted);
  const root = rowPlace && placesOf(document.wanted, { at: rowsAt, row: rowPlace });
  const counts = { document: document.wanted.length, row: row.wanted.length };
  return root && { root, slotsOf, counts };
}

/** Compiles the reader of a list that writes its rows; `undefined` where the file has something that it does not know. */
export function compileWrittenReader(
  context: ReplyContext,
  list: ListSpec,
  mapping: RowMapping,
): WrittenReader | undefined {
  const utf8Of = compileUtf8Body(context.source.decode);
  const places = compilePlaces(context, list, mapping);
  if (utf8Of === undefined || places === undefined) return undefined;
  const { root, slotsOf, counts } = places;
  const projection = new Projection(root, counts, () => writer.write());
  let gaps: Parameters<OnGap>[] = [];
  const writer = compileRowWriter(mapping, slotsOf, projection, (...gap) => gaps.push(gap));

  return function readWritten(reply) {
    const bytes = utf8Of(reply);
    if (bytes === undefined) return undefined;
    gaps = [];
    writer.begin();
    if (!projection.read(bytes)) return undefined;
    const body = wantedDocument(projection, root);
    const outcome = context.classify('list', reply, body);
    if (outcome?.is !== 'ok') return undefined;
    const records = writer.written();
    const found = gaps;
    // What was found in a reply is not kept until the next one.
    gaps = [];
    // The reader of records tells the rule of a reply that it is left to read.
    if (records.length === 0) return undefined;
    context.onRule(outcome.rule);
    return { records, body, gaps: found };
  };
}
