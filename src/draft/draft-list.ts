import type { RequestSpec } from '../config/schema/source.ts';
import type { Resource } from '../contract/resources.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import type { ServiceClient } from './requests/service-client.ts';
import { findWindow, type FoundWindow } from './window/find-window.ts';
import type { FirstResponse } from './detect/first-response.ts';
import { followList } from './window/follow-list.ts';
import { createListReader, type ListReader, type ListReply, readListReply } from './requests/list-reader.ts';
import { mapFields, type MapDraft } from './map/map-fields.ts';
import type { DraftNote } from './note.ts';
import { draftWindow, type WindowDraft } from './window/draft-window.ts';
import { type FiltersDraft, draftFilters } from './query/draft-filters.ts';
import { type OrderDraft, draftOrder } from './query/draft-order.ts';
import { draftTotal, type TotalDraft } from './window/draft-total.ts';
import { InferError } from './infer-error.ts';
import { type NumberedWindows, type ListWalk, walkList } from './requests/walk-list.ts';

/** The drafted parts of a list. */
export type ListDraft = {
  readonly reader: ListReader;
  readonly base: ListReply;
  readonly rows: readonly JsonObject[];
  readonly mapping: MapDraft;
  readonly window: WindowDraft;
  readonly total: TotalDraft;
  readonly order: OrderDraft;
  readonly filters: FiltersDraft;
  readonly walk: ListWalk | undefined;
  readonly notes: readonly DraftNote[];
};

/** What the draft of a list starts from. */
export type ListContext = {
  readonly client: ServiceClient;
  readonly resource: Resource;
  readonly response: FirstResponse;
  readonly baseUrl: string;
  /** Rows of the other saved replies. */
  readonly moreRows: readonly JsonObject[];
};

/** The share of the remaining calls that a walk over the list may use. */
const WALK_SHARE = 0.4;

function mapRows({ resource, response }: ListContext, rows: readonly JsonObject[]): MapDraft {
  const { dialect } = response;
  const known = { paths: dialect?.paths?.[resource.name] ?? {}, zone: dialect?.zone };
  const mapping = mapFields(resource, 'list', rows, known);
  if (mapping === undefined)
    throw new InferError(
      'no column of the records can be their id',
      'each record needs an id that no other record has',
    );
  return mapping;
}

/** The numbered windows, if there are any. */
function walkable(found: FoundWindow): NumberedWindows | undefined {
  return found.kind === 'numbered' ? found.numbered : undefined;
}

async function walkAll(
  context: ListContext,
  reader: ListReader,
  found: FoundWindow,
): Promise<ListWalk | undefined> {
  const callsMax = Math.floor(context.client.callsLeft * WALK_SHARE);
  if (callsMax < 1) return undefined;
  const numbered = walkable(found);
  if (numbered !== undefined) return walkList(reader, numbered, callsMax);
  if (found.kind === 'next') return followList(reader, found, { baseUrl: context.baseUrl, callsMax });
  return undefined;
}

/** Whether an id came twice in a walk. */
function repeats({ ids }: ListWalk): boolean {
  return new Set(ids).size < ids.length;
}

/** A walk that ended with an error after a full window is complete if the total says so. */
function completeByTotal(walk: ListWalk | undefined, { rows }: TotalDraft): ListWalk | undefined {
  if (walk === undefined || walk.complete || repeats(walk)) return walk;
  return { ...walk, complete: walk.ids.length === rows };
}

/** The walk of a list that comes in one reply. A total beside it may later show that it is complete. */
function wholeWalk(found: FoundWindow, base: ListReply): ListWalk | undefined {
  if (found.kind !== 'none') return undefined;
  return { rows: base.rows, ids: base.ids, complete: false, pastEnd: undefined, windows: [base] };
}

function notesOf(
  context: ListContext,
  { total, order, window }: Pick<ListDraft, 'total' | 'order' | 'window'>,
): readonly DraftNote[] {
  const at = ['resources', context.resource.name, 'list'];
  const inTotal = total.total === undefined ? [...at, 'window'] : [...at, 'total'];
  return [
    ...window.remarks.map((remark) => ({ at: [...at, 'window'], ...remark })),
    { at: inTotal, ...total.remark },
    { at: order.order === undefined ? [...at, 'items'] : [...at, 'order'], ...order.remark },
  ];
}

/** Drafts a list from the replies of its service. @throws InferError */
export async function draftList(context: ListContext): Promise<ListDraft> {
  const { client, resource, response, baseUrl } = context;
  const { dialect, format, place, request } = response;
  const early = mapRows(context, [...place.rows, ...context.moreRows]);
  const reader = createListReader(client, {
    read: format.read,
    items: place.path,
    idPath: early.idPath,
    idPattern: early.id.pattern,
  });
  const base = readListReply(reader.layout, response.reply);
  if (base === undefined) throw new InferError('the list could not be read again');
  const found = await findWindow({ reader, request, base, dialect, baseUrl });
  const first = (await walkAll(context, reader, found)) ?? wholeWalk(found, base);
  const twice = first !== undefined && repeats(first);
  const numbered = walkable(found);
  const total = await draftTotal({
    reader,
    request,
    base: first?.windows[0] ?? base,
    other: first?.windows[1],
    numbered,
    walk: twice || found.kind === 'none' ? undefined : first,
    dialect,
  });
  const callsMax = Math.floor(client.callsLeft * WALK_SHARE);
  const walked = found.kind === 'none' ? undefined : completeByTotal(first, total);
  const order = await draftOrder({
    reader,
    numbered,
    base,
    walk: walked,
    dialect,
    idPath: early.idPath,
    kind: early.id.kind,
    callsMax,
  });
  const rows = [...(order.walk?.rows ?? first?.rows ?? base.rows), ...context.moreRows];
  const mapping = mapRows(context, rows);
  const ordered = numbered && { ...numbered, request: order.extend(numbered.request) };
  const filters =
    resource.filters.length > 0
      ? await draftFilters({
          resource: resource.name,
          reader,
          numbered: ordered,
          walk: order.walk ?? walked,
          dialect,
          map: mapping.map,
          total: total.place,
        })
      : await draftFilters({
          resource: resource.name,
          reader,
          numbered: undefined,
          walk: undefined,
          dialect,
          map: {},
          total: undefined,
        });
  const known = total.rows ?? (walked?.complete === true ? walked.ids.length : undefined);
  const end = { pastEnd: total.pastEnd ?? walked?.pastEnd, rows: known };
  const window = draftWindow(found, { request, base, dialect, end });
  const clash: readonly DraftNote[] = twice
    ? [
        {
          at: ['resources', resource.name, 'list', 'window'],
          level: 'edit',
          text: 'records came twice in one walk: rows move, or windows overlap; ask for a fixed order in the query',
        },
      ]
    : [];
  const notes = [
    ...response.notes,
    ...mapping.notes,
    ...filters.notes,
    ...notesOf(context, { total, order, window }),
    ...clash,
  ];
  return { reader, base, rows, mapping, window, total, order, filters, walk: walked, notes };
}

/** The list's request with the parameters for window, order and filters. */
export function listRequest({ window, order, filters }: ListDraft): RequestSpec {
  return filters.extend(order.extend(window.request));
}
