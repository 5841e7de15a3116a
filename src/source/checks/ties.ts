// Ties are rows that are equal in the column of a sort. A database without a tiebreak (a second column) may order ties anew for
// each limit and offset, so two replies may show one row twice and leave out another. Only the sort key at each row number is
// sure. So a group of ties is known only if one reply holds all of it; its rows are then put in order by id here. This is done
// even if there is a tiebreak, because it may order ids as text, or be ignored.

import {
  compileFieldOrder,
  compileOrder,
  type FieldOrder,
  type SortKey,
  type SortRules,
} from '../../contract/order.ts';
import type { Sort } from '../../contract/query.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { hasDuplicates } from './unique-ids.ts';

/** The rows with the numbers `from` to `to - 1` of a sorted list. */
export type RowRange = { readonly from: number; readonly to: number };

/** The rows of one reply: the number of the first row, the records, and the sort key of each. */
export type SortedRun = {
  readonly first: number;
  readonly records: readonly CanonicalRecord[];
  readonly keys: readonly (SortKey | null)[];
};

/** A group of ties that no single reply holds. A side is open if it is unknown whether the group continues there. */
export type SplitGroup = RowRange & { readonly isOpenBefore: boolean; readonly isOpenAfter: boolean };

/** Known sort keys of rows, by the number of the row. */
export type KnownKeys = ReadonlyMap<number, SortKey | null>;

/** Checks the ties of one sort and puts them in order. */
export type Ties = {
  readonly order: FieldOrder;
  runOf(first: number, records: readonly CanonicalRecord[]): SortedRun;
  /** Whether keys are in order. The order of ties does not matter. */
  readonly areInOrder: (keys: readonly (SortKey | null)[]) => boolean;
  /**
   * The records of a range in the contract's order, if one reply holds the range and the rows next to it. `unsorted`: the keys
   * are not in order, or a row comes twice. `undefined`: more rows must be read first.
   */
  settleAlone(
    run: SortedRun,
    range: RowRange,
    total: number,
  ): { readonly records: readonly CanonicalRecord[] } | 'unsorted' | undefined;
  /** The keys that some replies show; `undefined` if the replies do not fit together, because rows have moved or are unsorted. */
  keysOf(runs: readonly SortedRun[], known: KnownKeys): KnownKeys | undefined;
  /**
   * The records of a range in the contract's order, or the first group of ties that keeps them from being known. `runs`
   * hold at least all rows of the range; `total` is the number of rows of the list.
   */
  settle(
    runs: readonly SortedRun[],
    keys: KnownKeys,
    range: RowRange,
    total: number,
  ): { readonly records: readonly CanonicalRecord[] } | { readonly split: SplitGroup };
};

const endOf = ({ first, records }: SortedRun) => first + records.length;

/** Whether rows can tie in a sort. They cannot in a sort by id, because ids are unique. */
export function canTie(sort: Sort | null): sort is Sort {
  return sort !== null && sort.field !== 'id';
}

/** Compiles the rules for the ties of a sort; `by` says how its field is compared. */
export function compileTies(sort: Sort, by: SortRules): Ties {
  const order = compileFieldOrder(sort, by);
  const whole = compileOrder(sort, by);

  /** The group of ties around a row, as far as keys are known. */
  function groupAt(keys: KnownKeys, row: number, total: number): SplitGroup {
    const key = keys.get(row) ?? null;
    const isTied = (other: number) => keys.has(other) && order.compare(keys.get(other) ?? null, key) === 0;
    let [from, to] = [row, row + 1];
    while (from > 0 && isTied(from - 1)) from -= 1;
    while (to < total && isTied(to)) to += 1;
    const isOpenBefore = from > 0 && !keys.has(from - 1);
    return { from, to, isOpenBefore, isOpenAfter: to < total && !keys.has(to) };
  }

  return {
    order,
    runOf: (first, records) => ({ first, records, keys: records.map(order.keyOf) }),
    areInOrder: (keys) => keys.every((key, at) => at === 0 || order.compare(keys[at - 1] ?? null, key) <= 0),
    settleAlone({ first, records, keys }, { from, to }, total) {
      const holdsBorders = (from === 0 || first < from) && (to === total || first + keys.length > to);
      let [isTied, isCrossed] = [false, false];
      for (let at = 1; at < keys.length; at += 1) {
        const compared = order.compare(keys[at - 1] ?? null, keys[at] ?? null);
        if (compared > 0) return 'unsorted';
        if (compared < 0) continue;
        isTied = true;
        isCrossed ||= first + at === from || first + at === to;
      }
      // A row that comes twice is tied with itself.
      if (isTied && hasDuplicates(records)) return 'unsorted';
      if (!holdsBorders || isCrossed) return undefined;
      const page = records.slice(from - first, to - first);
      return { records: isTied ? page.sort(whole) : page };
    },
    keysOf(runs, known) {
      const keys = new Map(known);
      const isOther = (row: number, key: SortKey | null) =>
        keys.has(row) && order.compare(keys.get(row) ?? null, key) !== 0;
      for (const { first, keys: own } of runs)
        for (const [at, key] of own.entries()) {
          if (isOther(first + at, key)) return undefined;
          keys.set(first + at, key);
        }
      for (const [row, key] of keys)
        if (keys.has(row - 1) && order.compare(keys.get(row - 1) ?? null, key) > 0) return undefined;
      return keys;
    },
    settle(runs, keys, range, total) {
      const records: CanonicalRecord[] = [];
      for (let row = range.from; row < range.to;) {
        const group = groupAt(keys, row, total);
        const { from, to, isOpenBefore, isOpenAfter } = group;
        const holder = runs.find((run) => run.first <= from && endOf(run) >= to);
        if (isOpenBefore || isOpenAfter || holder === undefined) return { split: group };
        const tied = holder.records.slice(from - holder.first, to - holder.first);
        if (tied.length > 1) tied.sort(whole);
        records.push(...tied.slice(row - from, Math.min(to, range.to) - from));
        row = to;
      }
      return { records };
    },
  };
}

/**
 * The ranges of which one should be read next, in one reply, to learn more about a split group; the best choice comes first. A
 * range is the whole group with rows next to it, up to the largest window, or only the next row. `page`: the rows that were asked
 * for.
 */
export function rangesToClose(
  { from, to, isOpenBefore, isOpenAfter }: SplitGroup,
  page: RowRange,
  { scanSize, total }: { readonly scanSize: number; readonly total: number },
): readonly RowRange[] {
  const size = Math.min(scanSize, total);
  if (to - from > size) return [];
  if (isOpenBefore) {
    const beside = { from: from - 1, to: from };
    const wide = { from: Math.max(0, to - size), to };
    const all = [wide, { from: from - 1, to }].filter((one) => one.from < from);
    // Nothing before the page is known yet, so a tie there is unlikely.
    return from === page.from ? [beside, ...all] : [...all, beside];
  }
  if (isOpenAfter) {
    const beside = { from: to, to: to + 1 };
    const wide = { from, to: Math.min(total, from + size) };
    const all = [wide, { from, to: to + 1 }].filter((one) => one.to > to);
    return to === page.to ? [beside, ...all] : [...all, beside];
  }
  return [{ from, to }];
}
