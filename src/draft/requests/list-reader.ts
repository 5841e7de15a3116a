import type { RequestSpec } from '../../config/schema/source.ts';
import { compilePath } from '../../adapter/path.ts';
import type { Json, JsonObject } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import type { ServiceClient } from './service-client.ts';
import { isList, isObject, scalarText } from '../json-values.ts';

/** What one call for a list brought. */
export type ListReply = {
  readonly reply: UpstreamReply;
  readonly document: Json;
  readonly rows: readonly JsonObject[];
  /** The native ids of the rows; empty texts where there is none. */
  readonly ids: readonly string[];
  /** The reply has no list at all where it should stand. */
  readonly absent: boolean;
};

/** Where a list's rows and their ids stand. */
export type ListLayout = {
  readonly read: (reply: UpstreamReply) => Json | undefined;
  readonly items: string;
  readonly idPath: string;
  /** Picks the id out of the text around it. */
  readonly idPattern?: string | undefined;
};

/** Reads a reply as a list; `undefined` where it is a failure or something else. */
export function readListReply(
  { read, items, idPath, idPattern }: ListLayout,
  reply: UpstreamReply,
): ListReply | undefined {
  if (reply.status >= 300) return undefined;
  const document = read(reply);
  if (document === undefined) return undefined;
  const found = compilePath(items)(document);
  const absent = found === undefined || found === null || found === '';
  if (!absent && !isList(found)) return undefined;
  const rows = (absent ? [] : found).filter((row) => isObject(row));
  const find = compilePath(idPath);
  const pattern = idPattern === undefined ? undefined : new RegExp(idPattern);
  const idOf = (row: JsonObject) => {
    const text = scalarText(find(row))?.trim() ?? '';
    return pattern === undefined ? text : (pattern.exec(text)?.[1] ?? '');
  };
  return { reply, document, rows, ids: rows.map(idOf), absent };
}

/** What was asked of a list, and what came. */
export type ListAnswer = { readonly reply: UpstreamReply; readonly listing: ListReply | undefined };

/** Asks for lists of one service. */
export type ListReader = {
  read(request: RequestSpec): Promise<ListAnswer>;
  readonly client: ServiceClient;
  /** The statuses under which rows came. */
  readonly statuses: ReadonlySet<number>;
  readonly layout: ListLayout;
};

/** Creates the reader of a service's lists. */
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
