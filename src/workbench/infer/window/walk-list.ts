import type { RequestSpec } from '../../../config/schema/source.ts';
import type { JsonObject } from '../../../kernel/json/json.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { withValue } from '../requests/request-parameters.ts';
import type { SizeParameter } from './probe-size.ts';
import type { StartParameter } from './probe-start.ts';

/** Windows that are requested by the number of a row or page. */
export type NumberedWindows = {
  readonly request: RequestSpec;
  readonly size: SizeParameter | undefined;
  readonly start: StartParameter;
  /** The number of rows in a window. */
  readonly rows: number;
};

/** The request for the window that starts at `row`, a multiple of the window's rows. */
export function windowRequest({ request, size, start, rows }: NumberedWindows, row: number): RequestSpec {
  const sized = size === undefined ? request : withValue(request, size.place, rows);
  const first = start.kind === 'offset' ? row + start.base : Math.floor(row / rows) + start.base;
  return withValue(sized, start.place, first);
}

/** What the service answers after the last row. */
export type PastEnd = {
  readonly kind: 'empty' | 'other';
  readonly status: number;
  /** The decoded reply, if it can be decoded. */
  readonly document: ListReply['document'] | undefined;
};

/** The rows of a list, all of them or as many as the budget allows. */
export type ListWalk = {
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  /** The walk reached the end. */
  readonly complete: boolean;
  readonly pastEnd: PastEnd | undefined;
  /** The replies, in order. */
  readonly windows: readonly ListReply[];
};

const ROWS_MAX = 20_000;

/** Whether a window after the end repeats earlier rows. */
function isRepeated(listing: ListReply, seen: ReadonlySet<string>): boolean {
  return listing.ids.length > 0 && listing.ids.every((id) => seen.has(id));
}

/** Reads a list window by window, to its end or until the calls are used up. */
export async function walkList(
  reader: ListReader,
  numbered: NumberedWindows,
  callsMax: number,
): Promise<ListWalk> {
  const windows: ListReply[] = [];
  const seen = new Set<string>();
  const end = (pastEnd: PastEnd | undefined, complete: boolean): ListWalk => {
    const rows = windows.flatMap((window) => window.rows);
    return { rows, ids: windows.flatMap(({ ids }) => ids), complete, pastEnd, windows };
  };
  for (let calls = 0, row = 0; calls < callsMax && row < ROWS_MAX; calls += 1, row += numbered.rows) {
    const { reply, listing } = await reader.read(windowRequest(numbered, row));
    if (listing === undefined) {
      const document = reader.layout.read(reply);
      // After a full window this may be the end, or a depth limit of the service.
      const isEnd = (windows.at(-1)?.rows.length ?? 0) < numbered.rows;
      return end({ kind: 'other', status: reply.status, document }, windows.length > 0 && isEnd);
    }
    const { document } = listing;
    if (listing.rows.length === 0) return end({ kind: 'empty', status: reply.status, document }, true);
    if (isRepeated(listing, seen)) return end({ kind: 'other', status: reply.status, document }, true);
    for (const id of listing.ids) seen.add(id);
    windows.push(listing);
  }
  return end(undefined, false);
}
