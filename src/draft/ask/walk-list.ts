import type { JsonObject } from '../../kernel/json/json.ts';
import type { Lister, Listing } from './list-view.ts';
import { type Recipe, withValue } from './request-template.ts';
import type { SizeParameter } from '../window/probe-size.ts';
import type { StartParameter } from '../window/probe-start.ts';

/** Windows that are asked for by number. */
export type Numbered = {
  readonly recipe: Recipe;
  readonly size: SizeParameter | undefined;
  readonly start: StartParameter;
  /** Rows of a window. */
  readonly rows: number;
};

/** The request for the window that starts at a row, a multiple of the window's rows. */
export function windowAt({ recipe, size, start, rows }: Numbered, row: number): Recipe {
  const sized = size === undefined ? recipe : withValue(recipe, size.place, rows);
  const first = start.kind === 'offset' ? row + start.base : Math.floor(row / rows) + start.base;
  return withValue(sized, start.place, first);
}

/** What lies behind the last row. */
export type PastEnd = {
  readonly kind: 'empty' | 'other';
  readonly status: number;
  /** What the reply reads as, if it can be read. */
  readonly document: Listing['document'] | undefined;
};

/** All rows of a list, or as many as may be read. */
export type Walk = {
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  /** The end was reached. */
  readonly complete: boolean;
  readonly pastEnd: PastEnd | undefined;
  /** Numbers that every window told alike are found here once more. */
  readonly windows: readonly Listing[];
};

const ROWS_MAX = 20_000;

/** Whether a window behind the end brings what came before. */
function isOld(listing: Listing, seen: ReadonlySet<string>): boolean {
  return listing.ids.length > 0 && listing.ids.every((id) => seen.has(id));
}

/** Reads a list window by window, up to its end or as many calls as are allowed. */
export async function walkList(lister: Lister, numbered: Numbered, callsMax: number): Promise<Walk> {
  const windows: Listing[] = [];
  const seen = new Set<string>();
  const end = (pastEnd: PastEnd | undefined, complete: boolean): Walk => {
    const rows = windows.flatMap((window) => window.rows);
    return { rows, ids: windows.flatMap(({ ids }) => ids), complete, pastEnd, windows };
  };
  for (let calls = 0, row = 0; calls < callsMax && row < ROWS_MAX; calls += 1, row += numbered.rows) {
    const { reply, listing } = await lister.list(windowAt(numbered, row));
    if (listing === undefined) {
      const document = lister.view.read(reply);
      // Behind a full window it may be the end, or as deep as the service goes.
      const isEnd = (windows.at(-1)?.rows.length ?? 0) < numbered.rows;
      return end({ kind: 'other', status: reply.status, document }, windows.length > 0 && isEnd);
    }
    const { document } = listing;
    if (listing.rows.length === 0) return end({ kind: 'empty', status: reply.status, document }, true);
    if (isOld(listing, seen)) return end({ kind: 'other', status: reply.status, document }, true);
    for (const id of listing.ids) seen.add(id);
    windows.push(listing);
  }
  return end(undefined, false);
}
