// Sends the requests of `infer` for lists, and reads the rows and ids of the replies.

import type { ItemsSpec, RequestSpec } from '../../../config/schema/source.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { compileItems, itemsPlace } from '../../../source/adapter/read/items.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { ServiceClient } from './service-client.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';

/** What native ids are: whole numbers, or any text. */
export type IdKind = 'number' | 'text';

/** One reply with a list. */
export type ListReply = {
  readonly reply: UpstreamReply;
  readonly document: Json;
  readonly rows: readonly JsonObject[];
  /** The native ids of the rows; an empty text if a row has none. */
  readonly ids: readonly string[];
};

/** The layout of a list's replies. */
export type ListLayout = {
  readonly read: (reply: UpstreamReply) => Json | undefined;
  readonly items: ItemsSpec;
  readonly idPath: string;
  /** Extracts the id from a longer text. */
  readonly idPattern?: string | undefined;
};

/** Compiles the reading of a text in a row, such as its native id: the part that a pattern finds; empty if there is none. */
export function compileTextReader(path: string, part?: string): (row: JsonObject) => string {
  const find = compilePath(path);
  const pattern = part === undefined ? undefined : new RegExp(part);
  return (row) => {
    const text = scalarText(find(row))?.trim() ?? '';
    return pattern === undefined ? text : (pattern.exec(text)?.[1] ?? '');
  };
}

/** Reads a reply as a list; `undefined` if it is a failure or holds no list. */
export function readListReply(
  { read, items, idPath, idPattern }: ListLayout,
  reply: UpstreamReply,
): ListReply | undefined {
  if (reply.status >= 300) return undefined;
  const document = read(reply);
  if (document === undefined) return undefined;
  const place = compilePath(itemsPlace(items))(document);
  const absent = place === undefined || place === null || place === '';
  const found = compileItems(items, 'empty', CHECKED)(document);
  if (found === undefined) return undefined;
  // A reply with errors and without a list is a failure.
  const errors = isObject(document) ? document['errors'] : undefined;
  if (absent && errors !== undefined && isList(errors) && errors.length > 0) return undefined;
  const rows = found.filter((row) => isObject(row));
  return { reply, document, rows, ids: rows.map(compileTextReader(idPath, idPattern)) };
}

/** A reply, and the list in it if there is one. */
export type ListAnswer = { readonly reply: UpstreamReply; readonly listing: ListReply | undefined };

/** Requests lists from one service. */
export type ListReader = {
  read(request: RequestSpec): Promise<ListAnswer>;
  readonly client: ServiceClient;
  /** The statuses of the replies that had rows. */
  readonly statuses: ReadonlySet<number>;
  readonly layout: ListLayout;
};

/** Creates the list reader of one service. */
export function createListReader(client: ServiceClient, view: ListLayout): ListReader {
  const statuses = new Set<number>();
  return {
    client,
    layout: view,
    statuses,
    async read(request) {
      const reply = await client.send(request);
      const listing = readListReply(view, reply);
      if (listing !== undefined && listing.rows.length > 0) statuses.add(reply.status);
      return { reply, listing };
    },
  };
}
