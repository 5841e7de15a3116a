import type { KnownKeys, RowRange } from '../../../source/checks/ties.ts';
import type { FieldOrder, SortKey } from '../../../contract/order.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';

/** Sort keys by the numbers of their rows, and for how many milliseconds all of them may still be relied on. */
export type RecalledKeys = { readonly keys: KnownKeys; readonly leftMs: number };

/**
 * Remembers for a minute which sort key stands at the border of a page. If the row beside a page cannot be read with
 * the page, it is then read apart once a minute, and not with every page. `list` names the sorted list: its sort, its
 * filters and its total. `shown` has the keys that replies have just shown.
 */
export type BorderKeys = ReturnType<typeof createBorderKeys>;

const KNOWN_MS = 60_000;
const ROWS_MAX = 10_000;

/** Creates what one resource's borders are remembered in; nothing is known. */
export function createBorderKeys() {
  const known = createBoundedMap<{ readonly key: SortKey | null; readonly until: number }>(ROWS_MAX, () => 1);
  const find = (list: string, row: number) => known.get(`${row} ${list}`);
  return {
    /** The keys of the rows beside a page that no reply showed; none if the rows of the page have moved since. */
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
    /** Keeps the keys at both sides of both borders of a page. */
    keep(list: string, { from, to }: RowRange, shown: KnownKeys): void {
      const until = performance.now() + KNOWN_MS;
      for (const row of new Set([from - 1, from, to - 1, to])) {
        const key = shown.get(row);
        if (key !== undefined) known.set(`${row} ${list}`, { key, until }, KNOWN_MS);
      }
    },
  };
}
