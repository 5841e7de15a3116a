// Remembers the sort keys of rows beside a page, so that these rows need not be read with every page (settle-ties.ts needs
// them).

import type { KnownKeys, RowRange } from '../../../source/checks/ties.ts';
import type { FieldOrder, SortKey } from '../../../contract/order.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';

/** Sort keys by the numbers of their rows, and for how many milliseconds all of them are still known. */
export type RecalledKeys = { readonly keys: KnownKeys; readonly leftMs: number };

const KNOWN_MS = 60_000;
const ROWS_MAX = 10_000;

/**
 * Creates the empty memory of one resource. It remembers the sort keys at the borders of pages for a minute. If the row beside a
 * page cannot be read in the same call as the page, it is read by an extra call once a minute, and not with every page. `list`
 * names the sorted list: its sort, its filters and its total. `shown` has the keys of the rows that were just read.
 */
export function createBorderKeys() {
  const known = createBoundedMap<{ readonly key: SortKey | null; readonly until: number }>(ROWS_MAX, () => 1);
  const find = (list: string, row: number) => known.get(`${row} ${list}`);
  return {
    /** Returns keys of the rows beside a page that were not read now; none if the rows of the page have moved since. */
    recall(list: string, { from, to }: RowRange, shown: KnownKeys, { compare }: FieldOrder): RecalledKeys {
      const keys = new Map<number, SortKey | null>();
      let leftMs = Infinity;
      const isMoved = (row: number) => {
        const before = find(list, row);
        return before !== undefined && compare(before.key, shown.get(row) ?? null) !== 0;
      };
      if (isMoved(from) || isMoved(to - 1)) return { keys, leftMs };
      for (const row of [from - 1, to]) {
        const found = shown.has(row) ? undefined : find(list, row);
        if (found === undefined) continue;
        keys.set(row, found.key);
        leftMs = Math.min(leftMs, Math.max(0, found.until - performance.now()));
      }
      return { keys, leftMs };
    },
    /** Remembers the keys at both sides of both borders of a page. */
    keep(list: string, { from, to }: RowRange, shown: KnownKeys): void {
      const until = performance.now() + KNOWN_MS;
      for (const row of new Set([from - 1, from, to - 1, to])) {
        const key = shown.get(row);
        if (key !== undefined) known.set(`${row} ${list}`, { key, until }, KNOWN_MS);
      }
    },
  };
}
