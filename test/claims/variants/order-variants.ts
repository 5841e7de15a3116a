import type { HttpReply, UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { byKey, type Row, single, slice, userOf, usersFile, usersOf } from './parts.ts';
import type { Variant, VariantService } from './variant-row.ts';

type Rows = readonly Row[];

const upward = (a: Row, b: Row) => a.id - b.id;
const downward = (a: Row, b: Row) => b.id - a.id;
const asText = (a: Row, b: Row) => (String(a.id) < String(b.id) ? -1 : 1);

/** A service whose rows change once; it answers a list in its own way. */
function changing(
  before: Rows,
  change: (rows: Rows) => Rows,
  list: (rows: Rows, request: UpstreamRequest) => HttpReply,
  truth = userOf,
): () => VariantService {
  return () => {
    let rows = before;
    return {
      records: () => rows.map(truth),
      change: () => void (rows = change(rows)),
      reply: (request) => single(rows, request) ?? list(rows, request),
    };
  };
}

const items = (rows: Rows, request: UpstreamRequest) => ({
  body: { total: rows.length, items: slice(rows, request) },
});
const pagesOf = (sorts: readonly string[], limits: readonly number[], last = 9): readonly string[] =>
  sorts.flatMap((sort) =>
    limits.flatMap((limit) =>
      Array.from({ length: last }, (_, n) => `sort=${sort}&limit=${limit}&page=${n + 1}`),
    ),
  );
const write = (own: (row: Row, n: number) => object) => (rows: Rows) =>
  rows.map((row, n) => ({ ...row, ...own(row, n) }));
const OFFSET = 'window: { kind: offset, sizeMax: 100 }, total: { at: total }';
const BY_ID = `${OFFSET}, order: id, orderIs: documented`;

/** `order=email desc, id asc`: the second column is read for both directions, or not. */
const twoColumns = (descendingTie: (a: Row, b: Row) => number) =>
  changing(
    usersOf(100),
    write((_, n) => ({ email: n % 9 === 4 ? null : `team${n % 3}@mail.example` })),
    (rows, request) => {
      const [, field = 'id', way, second] =
        /^(\w+) (asc|desc)(, id asc)?$/.exec(request.query.get('order') ?? '') ?? [];
      const tie = second === undefined ? upward : way === 'desc' ? descendingTie : upward;
      return items(
        field === 'id' ? rows : rows.toSorted(byKey(field, way === 'desc' ? -1 : 1, tie)),
        request,
      );
    },
  );
const TWO_COLUMNS = usersFile({
  list: `${BY_ID}, sort: { query: { order: '{column} {direction}{tiebreak}' }, tiebreak: ', id asc', columns: { email: email } }`,
});

/** Instants that differ in what v1 cuts off. */
const micros = changing(
  usersOf(100),
  write((_, n) => ({ created_at: `2024-03-0${1 + (n % 3)}T00:00:00.123${String(999 - n * 7)}Z` })),
  (rows, request) => {
    const sort = request.query.get('sort') ?? 'id';
    const field = sort.replace('-', '');
    const sign = sort.startsWith('-') ? -1 : 1;
    return items(field === 'id' ? rows : rows.toSorted(byKey(field, sign, upward)), request);
  },
  (row) => ({
    ...userOf(row),
    created_at: String(row['created_at']).replace(/(\.\d{3})\d+/, '$1'),
  }),
);
const BY_TIME = usersFile({
  list: `${BY_ID}, sort: { query: { sort: '{direction}{column}' }, ascending: '', descending: '-', columns: { created_at: created_at } }`,
});

/** The last row takes the place of the deleted one. */
const swapped = (rows: Rows) => [rows.at(-1)!, ...rows.slice(1, -1)];
/** Numbers with four digits come in: as text, they stand in front. */
const grown = (rows: Rows) => [...rows, ...usersOf(10).map((row) => ({ ...row, id: row.id + 999 }))];
const threeDigits = usersOf(160).map((row) => ({ ...row, id: row.id + 199 }));
const sortedAs = (tie: (a: Row, b: Row) => number) =>
  changing(threeDigits, grown, (rows, request) =>
    items(request.query.get('orderby') === 'id' ? rows.toSorted(tie) : rows.toReversed(), request),
  );
const ASKED_BY_ID = usersFile({
  query: "offset: '{offset}', limit: '{limit}', orderby: id",
  list: `${OFFSET}, order: id, orderIs: asked`,
});
const PAGES = ['limit=10', 'limit=10&page=3', 'limit=7&page=9', 'limit=40&page=4', 'limit=100&page=2', ''];

const base = { resource: 'users', asks: PAGES } as const;
const emails = pagesOf(['email', '-email'], [2, 7, 20]);

/** Orders that are not those of the file, or only at first. */
export const orderVariants: readonly Variant[] = [
  {
    ...{ ...base, name: 'variant of ties: the second column is read ascending only', asks: emails },
    ...{ start: twoColumns(downward), file: TWO_COLUMNS },
  },
  {
    ...{ ...base, name: 'variant of ties: the second column, correct', asks: emails },
    ...{ start: twoColumns(upward), file: TWO_COLUMNS },
  },
  {
    ...{ ...base, name: 'variant of ties: instants differ in microseconds', start: micros, file: BY_TIME },
    asks: pagesOf(['created_at', '-created_at'], [2, 7, 20]),
  },
  {
    ...{ ...base, name: 'variant of order: the last row takes the place of a deleted one, a draft' },
    start: changing(usersOf(120), swapped, items),
  },
  {
    ...{ ...base, name: 'variant of order: ids with four digits sort as text', isLate: true },
    ...{ start: sortedAs(asText), file: ASKED_BY_ID },
  },
  {
    ...{ ...base, name: 'variant of order: ids with four digits, correct' },
    ...{ start: sortedAs(upward), file: ASKED_BY_ID },
  },
];
