// Reads a list window by window for `infer`, to learn its columns and its total from all rows.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { JsonObject } from '../../../kernel/json/json.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { withValue } from '../requests/request-parameters.ts';
import type { FoundWindow, NumberedWindows } from './find-window.ts';
import { requestAfter } from './find-next-window.ts';

/** What the service answers to a request for rows after the last one. */
export type PastEnd = {
  readonly kind: 'empty' | 'other';
  readonly status: number;
  /** The decoded reply, if it can be decoded. */
  readonly document: ListReply['document'] | undefined;
};

/** The rows of a list, all of them or as many as the budget allows. */
export type ListRows = {
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  /** Whether the end of the list was reached. */
  readonly complete: boolean;
  readonly pastEnd: PastEnd | undefined;
  /** The replies, in order. */
  readonly windows: readonly ListReply[];
};

/** A list whose windows can be asked for. */
type WindowedList = Extract<FoundWindow, { readonly kind: 'numbered' | 'next' }>;

/** Numbered windows are read up to this row. */
const ROWS_MAX = 20_000;

/** The request for the first window, of the largest size; `request` is used in place of the list's own request. */
export function firstWindow(found: WindowedList, request?: RequestSpec): RequestSpec {
  if (found.kind === 'numbered') return numberedWindow(found, 0, request);
  const { size } = found;
  return size === undefined ? found.request : withValue(found.request, size.place, size.largest.size);
}

/** The request for the window with a number, from 0. */
function numberedWindow(found: NumberedWindows, number: number, request = found.request): RequestSpec {
  const { size, start, rows } = found;
  const sized = size === undefined ? request : withValue(request, size.place, rows);
  return withValue(sized, start.place, start.base + number * (start.kind === 'offset' ? rows : 1));
}

/** Reads a list window by window, to its end or until the calls are used up. */
export async function readWholeList(
  reader: ListReader,
  found: WindowedList,
  callsMax: number,
): Promise<ListRows> {
  const windows: ListReply[] = [];
  const seen = new Set<string>();
  function end(complete: boolean, pastEnd?: PastEnd): ListRows {
    const rows = windows.flatMap((window) => window.rows);
    return { rows, ids: windows.flatMap(({ ids }) => ids), complete, pastEnd, windows };
  }
  let request: RequestSpec | undefined = firstWindow(found);
  for (let calls = 0; request !== undefined && calls < callsMax; calls += 1) {
    const { reply, listing } = await reader.read(request);
    if (found.kind === 'next') {
      if (listing === undefined) return end(false);
      request = requestAfter(found.form, listing, firstWindow(found), reader.client.baseUrl);
    } else {
      const { rows = [], ids = [] } = listing ?? {};
      const isNew = ids.length === 0 || ids.some((id) => !seen.has(id));
      const kind = listing !== undefined && rows.length === 0 ? 'empty' : 'other';
      // After a full window, a refusal may be the end, or a depth limit of the service.
      const isEnd = listing !== undefined || (windows.at(-1)?.rows.length ?? Infinity) < found.rows;
      if (rows.length === 0 || !isNew)
        return end(isEnd, { kind, status: reply.status, document: reader.layout.read(reply) });
      const next = windows.length + 1;
      request = next * found.rows < ROWS_MAX ? numberedWindow(found, next) : undefined;
    }
    for (const id of listing?.ids ?? []) seen.add(id);
    if (listing !== undefined) windows.push(listing);
  }
  const isUnique = windows.flatMap(({ ids }) => ids).length === seen.size;
  return end(found.kind === 'next' && request === undefined && isUnique);
}
