// What can happen to a list, and what one comparison makes of it.

import {
  type DifferingStores,
  type FoundDifferences,
  insert,
  type Row,
  swapped,
  users,
} from './stores/differing-stores.ts';

/** Something that becomes of a list, and what one comparison makes of it. */
export type ListSituation = DifferingStores & {
  readonly name: string;
  /** What a gateway file says of `compare`. */
  readonly compare?: object;
  readonly found: FoundDifferences;
};

const differing = (...differences: readonly string[]): FoundDifferences => ({
  ...{ verdict: 'mismatch', differences, ignored: [] },
});
const ignored = (...differences: readonly string[]): FoundDifferences => ({
  ...{ verdict: 'ignored', differences: [], ignored: differences },
});

/** Half of the rows are of one day, half of another: within a day their order is nobody's. */
const onTwoDays = (name: 'since' | 'createdAt') => (rows: readonly Row[]) =>
  rows.map((row, index) => ({ ...row, [name]: `2020-05-0${index < 5 ? '1' : '2'}T10:00:00Z` }));

const roughly = {
  tolerate: [{ path: 'meta.total', abs: 3, owner: 'ana', reason: 'an estimate', until: '2099-01-01' }],
};

/** Rows that were made meanwhile: as many as the call says, the latest first. */
const made = (row: (number: number) => Row, count: number) =>
  Array.from({ length: count }, (_, index) => row(100 + count - index));

/** Situations of lists, and variants of some. */
export const listSituations: readonly ListSituation[] = [
  {
    name: 'a missing id',
    change: { nextRows: (rows) => rows.toSpliced(4, 1) },
    found: differing('meta.total|total', 'data[].id|missing_id of user_5'),
  },
  {
    name: 'two rows swapped',
    change: { nextRows: swapped(2, 6) },
    found: differing('data[]|order of user_3'),
  },
  {
    name: 'two rows of equal keys swapped',
    change: {
      legacyRows: onTwoDays('since'),
      nextRows: (rows) => swapped(1, 2)(onTwoDays('createdAt')(rows)),
    },
    found: ignored('data[]|tie_order of user_2'),
  },
  {
    name: 'a later page, whose rows a missing record has moved',
    list: 'page=2&limit=5',
    change: { nextRows: (rows) => rows.toSpliced(1, 1) },
    found: differing('meta.total|total'),
  },
  {
    name: 'a page between a missing record and an extra one, whose rows have moved',
    list: 'page=2&limit=5',
    change: { nextRows: (rows) => insert(12, users.next.row(99))(rows.toSpliced(1, 1)) },
    found: { verdict: 'match', differences: [], ignored: [] },
  },
  {
    name: 'a row at the edge of a page that no page has',
    list: 'page=2&limit=5',
    change: { hits: 20, nextRows: (rows) => rows.toSpliced(5, 1) },
    found: differing('data[].id|missing_id of user_6'),
  },
  {
    name: 'a row at the edge of a page that only the new list has',
    list: 'page=2&limit=5',
    change: { hits: 20, nextRows: insert(5, users.next.row(99)) },
    found: differing('data[].id|extra_id of user_99'),
  },
  {
    name: 'pages that have moved so far that they share no record',
    list: 'page=2&limit=4',
    change: { nextRows: (rows) => rows.slice(10) },
    found: differing('meta.total|total', 'data[].id|boundary'),
  },
  { name: 'a total of one more', change: { hits: 21 }, found: differing('meta.total|total') },
  { name: 'a total of one less', change: { hits: 19 }, found: differing('meta.total|total') },
  {
    name: 'rows inserted while it is read',
    change: {
      // The new store lags: a row is there only after the legacy one has others.
      legacyRows: (rows, call) => insert(0, ...made(users.legacy.row, call))(rows),
      nextRows: (rows, call) => insert(0, ...made(users.next.row, call - 1))(rows),
    },
    found: { verdict: 'inconclusive', differences: [], ignored: [] },
  },
  {
    name: 'a row on two pages',
    list: 'page=2&limit=10',
    change: { hits: 20, nextRows: insert(10, users.next.row(10)) },
    // Page 1 of the legacy list has user_10, too: that it comes twice, a walk tells.
    found: differing('data[].id|missing_id of user_20'),
  },
  {
    name: 'a last page that is too short',
    list: 'page=2&limit=15',
    change: { hits: 20, nextRows: (rows) => rows.slice(0, -1) },
    // Fewer rows than its own total says: such an answer is refused, as it is to callers.
    found: { verdict: 'failed_new', differences: [], ignored: [] },
  },
  {
    name: 'a total that is an estimate',
    change: { hits: 22 },
    compare: roughly,
    found: ignored('meta.total|total'),
  },
  {
    name: 'an estimate that is wrong',
    change: { hits: 24 },
    compare: roughly,
    found: differing('meta.total|total'),
  },
];
