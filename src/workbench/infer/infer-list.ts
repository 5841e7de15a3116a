// Finds out for `portico infer` what the `list` section of the draft says: rows, mapping, window, total, order and filters.

import type { Resource } from '../../contract/resource.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { findWindow, type FoundWindow } from './window/find-window.ts';
import { itemsOf } from './detect/find-rows.ts';
import { knownPaths } from './dialects/example-names.ts';
import type { InferContext } from './map/infer-context.ts';
import { createListReader, type ListReader, type ListReply, readListReply } from './requests/list-reader.ts';
import { columnsOf } from './map/columns.ts';
import { candidatesText } from './map/describe-columns.ts';
import { mapFields, type MapDraft, refuseAbsentColumns } from './map/map-fields.ts';
import { type DraftNote, InferError, notesAt } from './notes/note.ts';
import { windowSection, type WindowDraft } from './window/window-section.ts';
import { type FiltersDraft, inferFilters } from './query/infer-filters.ts';
import { type OrderDraft, inferOrder } from './query/infer-order.ts';
import { inferTotal, type TotalDraft } from './window/infer-total.ts';
import { firstWindow, type ListRows, readWholeList } from './window/read-whole-list.ts';

type Sections = {
  readonly mapping: MapDraft;
  readonly window: WindowDraft;
  readonly total: TotalDraft;
  readonly order: OrderDraft;
  readonly filters: FiltersDraft;
};

/** The draft of the `list` section, with the rows that were read for it. */
export type ListDraft = Sections & {
  readonly reader: ListReader;
  readonly base: ListReply;
  readonly rows: readonly JsonObject[];
  readonly walk: ListRows | undefined;
  readonly notes: readonly DraftNote[];
};

type ListContext = InferContext & {
  /** Rows of the other saved replies. */
  readonly moreRows: readonly JsonObject[];
};

/** The share of the remaining calls that reading the whole list may use. */
const READ_SHARE = 0.4;

function mapRows(
  { resource, response, columns, described }: ListContext,
  rows: readonly JsonObject[],
): MapDraft {
  const { dialect } = response;
  const paths = { ...knownPaths(dialect, resource), ...columns };
  refuseAbsentColumns(rows, resource.itemFields, columns);
  const mapping = mapFields(resource, 'list', rows, { paths, dialect, described });
  if (mapping !== undefined) return mapping;
  const candidates = candidatesText('id', columnsOf(rows));
  throw new InferError(
    columns['id'] === undefined
      ? 'no column of the records can be their id'
      : `${columns['id']} cannot be the id: it is empty in a record, or two records have the same`,
    `each record needs an id that no other record has: name its column with --id <path>, among ${candidates}`,
  );
}

/** Reads a list to its end, or until its share of the calls is used up. A list in one reply needs no call. */
async function readRows(
  { client }: ListContext,
  reader: ListReader,
  found: FoundWindow,
  base: ListReply,
): Promise<ListRows | undefined> {
  const callsMax = Math.floor(client.callsLeft * READ_SHARE);
  if (found.kind === 'numbered' || found.kind === 'next')
    return callsMax > 0 ? readWholeList(reader, found, callsMax) : undefined;
  if (found.kind === 'unseen') return undefined;
  return { rows: base.rows, ids: base.ids, complete: false, pastEnd: undefined, windows: [base] };
}

/** Whether an id came twice while the list was read. */
function repeats({ ids }: ListRows): boolean {
  return new Set(ids).size < ids.length;
}

/** If reading ended with an error after a full window, the list is complete if it has as many rows as the total says. */
function completeByTotal(walk: ListRows, { rows }: TotalDraft): ListRows {
  return walk.complete || repeats(walk) ? walk : { ...walk, complete: walk.ids.length === rows };
}

function notesOf(
  { resource, response }: ListContext,
  { mapping, window, total, filters }: Sections,
): readonly DraftNote[] {
  const at = (section: string) => ['resources', resource.name, 'list', section];
  return [
    ...response.notes,
    ...mapping.notes,
    ...filters.notes,
    ...notesAt(at('window'), ...window.remarks),
    ...notesAt(at('total'), total.remark),
  ];
}

/** Creates the reader of the list, with its first reply. */
function openList({ client, response }: ListContext, { idPath, id }: MapDraft) {
  const { format, place, reply } = response;
  const layout = { read: format.read, items: itemsOf(place), idPath, idPattern: id.pattern };
  const base = readListReply(layout, reply);
  if (base === undefined) throw new InferError('the list could not be read again');
  return { reader: createListReader(client, layout), base };
}

/**
 * The fields of the contract's sorts that a service probably orders as the contract does: not by codes, whose order is that of
 * the contract, nor by ids or days in another form.
 */
function sortable({ sorts, itemFields }: Resource, map: MapDraft['map']): readonly string[] {
  const isPlain = (name: string) => typeof map[name] === 'string';
  return sorts.filter((name) => {
    const kind = itemFields.find((field) => field.name === name)?.kind;
    if (kind === 'enum' || kind === 'reference' || kind === 'boolean') return false;
    return kind === 'date' || kind === 'integer' ? isPlain(name) : true;
  });
}

/** Infers the `list` section of a source file from the replies of its service. @throws InferError */
export async function inferList(context: ListContext): Promise<ListDraft> {
  const { resource, response, moreRows } = context;
  const { dialect, place, request } = response;
  // Windows are told apart by ids, so the id is mapped from the first rows, and all fields again once the list is read.
  const early = mapRows(context, [...place.rows, ...moreRows]);
  const { reader, base } = openList(context, early);
  const list = { reader, request, base, dialect };
  const found = await findWindow(list);
  const first = await readRows(context, reader, found, base);
  const isRepeated = first !== undefined && repeats(first);
  const windows = 'unknownParameter' in found ? found : undefined;
  const numbered = windows?.kind === 'numbered' ? windows : undefined;
  const isWalked = !isRepeated && found.kind !== 'none';
  const [opening = base, other] = first?.windows ?? [];
  const total = await inferTotal({ ...list, base: opening, other, walk: isWalked ? first : undefined });
  const walk = first === undefined || found.kind === 'none' ? undefined : completeByTotal(first, total);
  const rows = [...(first ?? base).rows, ...moreRows];
  const mapping = mapRows(context, rows);
  const { map } = mapping;
  const { idPath } = early;
  const sorts = sortable(resource, map);
  const order = await inferOrder({ ...list, numbered, walk, idPath, kind: mapping.id.kind, sorts, map });
  const windowed = windows && firstWindow(windows, numbered && order.ordered(numbered.request));
  const { unknownParameter } = windows ?? {};
  const filters = await inferFilters({ ...list, resource, windowed, unknownParameter, walk, map });
  const count = total.rows ?? (walk?.complete === true ? walk.ids.length : undefined);
  const end = { pastEnd: walk?.pastEnd, rows: count };
  const window = windowSection(found, { ...list, end, windows: first?.windows ?? [] });
  const sections = { mapping, window, total, order, filters };
  return { ...sections, reader, base, rows, walk, notes: notesOf(context, sections) };
}
