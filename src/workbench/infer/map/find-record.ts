// Finds for `infer` the request that returns one record, by trying likely ones with ids of the list.

import type { ItemsSpec, RequestSpec } from '../../../config/schema/source.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { compileItem } from '../../../source/adapter/read/items.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { missingIds } from '../../doctor/probes/source/single-record.ts';
import { valuesIn } from '../../../source/checks/evidence/document-leaves.ts';
import type { DecodedReply } from '../detect/outcome-rules.ts';
import { itemsOf, namedTables, type RowLocation } from '../detect/find-rows.ts';
import { isObject, scalarText } from '../../../kernel/json/values.ts';
import { mapTexts } from '../../../kernel/json/json-tree.ts';
import type { RecordContext } from './infer-context.ts';
import type { MapDraft } from './map-fields.ts';
import { compileTextReader, type IdKind } from '../requests/list-reader.ts';

/** The view of one record that was found. */
export type FoundRecord = {
  /** The request, with `{id}` in the place of the id. */
  readonly request: RequestSpec;
  /** The path of the record, empty if the body is the record; or a table that has the record as its only row. */
  readonly item: ItemsSpec;
  readonly records: readonly JsonObject[];
  /** The reply with the first record. */
  readonly first: DecodedReply;
  /** The reply for an unknown id. */
  readonly missing: DecodedReply;
};

/** A search for the view of one record. */
type RecordSearch = Pick<RecordContext, 'client' | 'response' | 'list'> & {
  /** Requests with `{id}`, the most probable first. */
  readonly requests: readonly RequestSpec[];
  /** Ids of the list to try, as the gateway sends them. */
  readonly ids: readonly string[];
  /** All ids of the list. */
  readonly known: readonly string[];
};

/** The path of a record's own address with `{id}` at its end: one record is requested there. */
export function linkedPaths(rows: readonly JsonObject[], list: MapDraft): readonly string[] {
  const link = scalarText(compilePath(list.idPath)(rows[0] ?? null)) ?? '';
  if (list.id.pattern === undefined || !URL.canParse(link, 'http://service.invalid')) return [];
  return [new URL(link, 'http://service.invalid').pathname.replace(/[^/]+(?=\/?$)/, '{id}')];
}

const VARIABLE = '{id}';

/** Replaces the variable `{id}` in a request by an id. */
function withId(request: RequestSpec, id: string): RequestSpec {
  const filled = mapTexts(request, (text) => text.replaceAll(VARIABLE, () => id));
  return { ...filled, path: request.path.replaceAll(VARIABLE, () => encodeURIComponent(id)) };
}

const sameId = (value: Json | undefined, id: string, kind: IdKind) => {
  const text = scalarText(value)?.trim();
  if (text === undefined) return false;
  return text === id || (kind === 'number' && /^\d+$/.test(text) && text.replace(/^0+(?=\d)/, '') === id);
};

/** Whether an object has the id near its top, under any name. */
function containsId(value: JsonObject, id: string, kind: IdKind, depth = 0): boolean {
  return Object.values(value).some(
    (inner) =>
      sameId(inner, id, kind) || (depth < 2 && isObject(inner) && containsId(inner, id, kind, depth + 1)),
  );
}

const hasOwnScalars = (value: JsonObject) =>
  Object.values(value).filter((one) => scalarText(one) !== undefined).length;

/** An id, and how it is read from a row of the list. */
type Wanted = { readonly id: string; readonly kind: IdKind; readonly idOf: (row: JsonObject) => string };

/**
 * The path of the record with an id: the outermost object that has it where rows of the list have it; or else (`isListed`: the
 * reply is a list, in which other numbers may be equal to the id) the outermost one that is not only a wrapper.
 */
function findItem(document: Json, { id, kind, idOf }: Wanted, isListed: boolean): string | undefined {
  const values = valuesIn(document, () => true);
  const own = values.find(({ value }) => isObject(value) && sameId(idOf(value), id, kind));
  if (own !== undefined || isListed) return own?.path;
  return values.find(({ value }) => {
    if (!isObject(value)) return false;
    if (Object.values(value).some((one) => sameId(one, id, kind))) return true;
    const parts = Object.values(value).filter((one) => isObject(one)).length;
    // The id may be in one of several parts of a record. The record is then the whole.
    return parts > 1 && hasOwnScalars(value) === 0 && containsId(value, id, kind, 1);
  })?.path;
}

/** The table whose only row is the record with an id. */
function tableItem(document: Json, id: string, kind: IdKind): ItemsSpec | undefined {
  const holds = ({ rows: [row, ...others] }: RowLocation) =>
    row !== undefined && others.length === 0 && containsId(row, id, kind);
  const table = namedTables(document).find(holds);
  return table && itemsOf(table);
}

/** Finds the view of one record, by trying requests with ids of the list. */
export async function findRecord(search: RecordSearch): Promise<FoundRecord | undefined> {
  const { client, response, list, requests, ids, known } = search;
  const { read } = response.format;
  const { kind } = list.id;
  const [first, ...others] = ids;
  if (first === undefined) return undefined;
  const wanted = { id: first, kind, idOf: compileTextReader(list.idPath, list.id.pattern) };
  const listed = known.map((id) => ({ id }));
  const [unknown = `${first}zz9`] = missingIds(listed, '');
  for (const request of requests) {
    if (client.callsLeft < 3) return undefined;
    const reply = await client.send(withId(request, first));
    const document = reply.status < 300 ? read(reply) : undefined;
    const isListed = request.path === response.request.path && Object.hasOwn(request.query, list.idPath);
    const path = document === undefined ? undefined : findItem(document, wanted, isListed);
    // If the rows of the list are a table, the reply with one record may be a table, too.
    const isTable = response.place.table !== undefined;
    const item = path ?? (document === undefined || !isTable ? undefined : tableItem(document, first, kind));
    if (document === undefined || item === undefined) continue;
    const find = compileItem(item, CHECKED);
    const records = [find(document)].filter((one) => isObject(one));
    for (const id of others) {
      if (client.callsLeft < 3) break;
      const more = read(await client.send(withId(request, id)));
      const record = more === undefined ? undefined : find(more);
      if (isObject(record)) records.push(record);
    }
    const missing = await client.send(withId(request, unknown));
    const answers = { first: { reply, document }, missing: { reply: missing, document: read(missing) } };
    return { request, item, records, ...answers };
  }
  return undefined;
}
