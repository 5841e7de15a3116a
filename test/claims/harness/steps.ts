import { inOrder } from '../../support/model/contract-model.ts';
import type { Ask } from './ask.ts';
import type { StoredRecord } from './records.ts';
import type { Breaks, Store } from './start-service.ts';
import { byRecords, type Windowed, type WrittenRow } from './stages.ts';

/** Answers another question than the one that was asked. */
export const asking =
  (change: (ask: Ask, store: Store) => Partial<Ask>): Breaks =>
  (correct, store) => ({
    ask: (ask) => ({ ...correct.ask(ask), ...change(ask, store) }),
  });

/** Tells another total. */
export const totalling =
  (change: (total: number, ask: Ask, all: number, store: Store) => number): Breaks =>
  (correct, store) => ({
    total: (ask, matched, all) => Math.max(0, change(correct.total(ask, matched, all), ask, all, store)),
  });

/** Lets other records match. */
export const matching =
  (
    change: (
      record: Readonly<Record<string, string | null>>,
      ask: Ask,
      isMatch: (ask: Ask) => boolean,
    ) => boolean,
  ): Breaks =>
  (correct) => ({
    matches: (ask, record) => change(record, ask, (other) => correct.matches(other, record)),
  });

/** Gives the rows of every window, or of a whole list, another order. */
export const ordering =
  (change: (rows: readonly StoredRecord[], ask: Ask, store: Store) => readonly StoredRecord[]): Breaks =>
  (correct, store) => ({
    order: (ask, rows) => change(correct.order(ask, rows), ask, store),
  });

/** Changes what stands in a window, after paging. */
export const paging =
  (
    change: (windowed: Windowed, ask: Ask, rows: readonly StoredRecord[], store: Store) => Partial<Windowed>,
  ): Breaks =>
  (correct, store) => ({
    window: (ask, rows) => {
      const windowed = correct.window(ask, rows);
      return { ...windowed, ...change(windowed, ask, rows, store) };
    },
  });

/** Gives another record than the one that was asked for. */
export const finding =
  (
    change: (
      found: StoredRecord | undefined,
      ask: Ask,
      all: readonly StoredRecord[],
      store: Store,
    ) => StoredRecord | undefined,
  ): Breaks =>
  (correct, store) => ({
    find: (ask, all) => change(correct.find(ask, all), ask, all, store),
  });

/** Writes rows otherwise. */
export const writingRows =
  (change: (row: WrittenRow, ask: Ask, store: Store) => WrittenRow): Breaks =>
  (correct, store) => ({
    row: (ask, row) => change(correct.row(ask, row), ask, store),
  });

/** Several ways at once. */
export const both =
  (...all: readonly Breaks[]): Breaks =>
  (correct, store) =>
    Object.assign({}, ...all.map((breaks) => breaks(correct, store)));

/** Rows sorted by a text or number of each. */
export function sortedBy(
  rows: readonly StoredRecord[],
  compare: (a: StoredRecord, b: StoredRecord) => number,
): readonly StoredRecord[] {
  return [...rows].sort(compare);
}

/** The rows in ascending order of their ids. */
export const byId = (rows: readonly StoredRecord[]): readonly StoredRecord[] =>
  byRecords(rows, (records) => inOrder(records, 'id', false));

/** The list with two neighbours in each other's place, if it has them. */
export function swapped<T>(rows: readonly T[], at: number): readonly T[] {
  const place = at < 0 ? rows.length + at : at;
  if (place < 0 || place + 1 >= rows.length) return rows;
  return rows.with(place, rows[place + 1]!).with(place + 1, rows[place]!);
}

/** A text whose letters have lost their accents. */
export const withoutAccents = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');
