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

/*
 * Ties are rows that are equal in the column of a sort. A database without a tiebreak orders them anew for each limit and
 * offset, so two replies may show one row twice and leave out another. Which *key* stands at which number does not depend
 * on that. So a group of ties is known only if one reply holds all of it; its rows are then put in order by id here. That
 * holds for a tiebreak, too: it may order ids as text, or be ignored.
 */

/** The rows with the numbers `from` to `to - 1` of a sorted list. */
export type RowRange = { readonly from: number; readonly to: number };

/** Rows that one reply held: the number of the first one, the records, and the key of each. */
export type SortedRun = {
  readonly first: number;
  readonly records: readonly CanonicalRecord[];
  readonly keys: readonly (SortKey | null)[];
};

/** A group of ties that no single reply held. A side is open if it is not known yet whether the group continues there. */
export type SplitGroup = RowRange & { readonly isOpenBefore: boolean; readonly isOpenAfter: boolean };

/** Keys of rows that are known from elsewhere, by the number of the row. */
export type KnownKeys = ReadonlyMap<number, SortKey | null>;

/** Checks and orders the ties of one sort. */
export type Ties = {
  readonly order: FieldOrder;
  runOf(first: number, records: readonly CanonicalRecord[]): SortedRun;
  /** Whether keys are in order, whatever the order of ties is. */
  readonly areInOrder: (keys: readonly (SortKey | null)[]) => boolean;
  /**
   * The records of a range that one reply holds with the rows beside it, in one pass; `unsorted` if its keys are not in
   * order or a row comes twice, `undefined` if more has to be known.
   */
  settleAlone(
    run: SortedRun,
    range: RowRange,
    total: number,
  ): { readonly records: readonly CanonicalRecord[] } | 'unsorted' | undefined;
  /** The keys that some replies show; `undefined` if two of them do not fit together: rows have moved, or are unsorted. */
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

/** Whether a sort has ties: ids are unique. */
export function canTie(sort: Sort | null): sort is Sort {
  return sort !== null && sort.field !== 'id';
}

/** Compiles the rules for the ties of a sort; `by` is its field. */
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
 * The rows to read in one reply so that more is known of a split group, the best choice first: all of the group with what
 * lies beside it, as far as the largest window reaches, or the one row beside it. `page` is what was asked for.
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
