import type { SortKey } from '../../contract/order.ts';
import { createBoundedMap } from '../../store/bounded-map.ts';

/** The sort key of a row, and for how many milliseconds it may still be relied on. */
export type BorderKey = { readonly key: SortKey | null; readonly leftMs: number };

/**
 * Remembers for a minute which sort key stands at the border of a page. Where the row beside a page cannot be read with
 * the page, it is then read apart once a minute, and not with every page.
 */
export type BorderKeys = {
  /** `list` names the sorted list: its sort, its filters and its total. `row` is the number of a row. */
  get(list: string, row: number): BorderKey | undefined;
  set(list: string, row: number, key: SortKey | null): void;
};

const KNOWN_MS = 60_000;
const ROWS_MAX = 10_000;

/** Creates what one resource's borders are remembered in; nothing is known. */
export function createBorderKeys(): BorderKeys {
  const known = createBoundedMap<{ readonly key: SortKey | null; readonly until: number }>(ROWS_MAX, () => 1);
  return {
    get(list, row) {
      const found = known.get(`${row} ${list}`);
      return found && { key: found.key, leftMs: found.until - performance.now() };
    },
    set: (list, row, key) =>
      known.set(`${row} ${list}`, { key, until: performance.now() + KNOWN_MS }, KNOWN_MS),
  };
}
