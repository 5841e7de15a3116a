import { compareIds, compareTexts, type ModelRecord } from '../../support/model/contract-model.ts';
import { type HttpReply, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { drawn } from '../harness/records.ts';

/** How a service orders rows that are equal in all columns that it was asked to sort by. */
export type TieOrder = 'anew for each limit and offset' | 'as text' | 'by descending id' | 'as stored';

/** What a service is asked: some rows, by some columns. */
type Asked = { readonly first: number; readonly size: number; readonly sort: readonly SortColumn[] };
type SortColumn = { readonly column: string; readonly descending: boolean };

/** A dialect of paging and sorting. */
export type TiedDialect = {
  readonly name: string;
  readonly path: string;
  read(query: URLSearchParams): Asked;
  reply(rows: readonly object[], total: number, asked: Asked): HttpReply;
  /** Whether it sorts by more than one column. */
  readonly manyColumns: boolean;
  /** Whether no window holds a page with the rows beside it. */
  readonly isFixed?: boolean;
};

const number = (query: URLSearchParams, name: string, fallback: number) => {
  const text = query.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : fallback;
};
const offset = (query: URLSearchParams, from: string, size: string, base = 0) => ({
  first: Math.max(0, number(query, from, base) - base),
  size: Math.max(1, Math.min(100, number(query, size, 20))),
});
const paged = (query: URLSearchParams, page: string, size: string, base: number, sizeMax = 100) => {
  const rows = Math.max(1, Math.min(sizeMax, number(query, size, 20)));
  return { first: Math.max(0, number(query, page, base) - base) * rows, size: rows };
};
/** Columns as in `-name,id`. */
const signed = (text: string | null) =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((one) => ({ column: one.replace(/^-/, ''), descending: one.startsWith('-') }));
/** Columns as in `name desc,id asc`, with another mark between column and direction. */
const worded = (text: string | null, mark: string) =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((one) => {
      const [column = '', way = 'asc'] = one.trim().split(mark);
      return { column, descending: way.toLowerCase() === 'desc' };
    });
const inPair = (column: string | null, way: string | null) =>
  column === null || column === '' ? [] : [{ column, descending: /^desc/i.test(way ?? '') }];
const body =
  (of: (rows: readonly object[], total: number, asked: Asked) => object): TiedDialect['reply'] =>
  (rows, total, asked) => ({ body: of(rows, total, asked) });

/** Dialects of services that sort by columns, as they are found in the field. */
export const tiedDialects: readonly TiedDialect[] = [
  {
    name: 'limit, offset, sort and order',
    path: '/people',
    read: (q) => ({ ...offset(q, 'offset', 'limit'), sort: inPair(q.get('sort'), q.get('order')) }),
    reply: body((rows, total) => ({ total, rows })),
    manyColumns: false,
  },
  {
    name: 'json-server',
    path: '/people',
    read: (q) => ({ ...paged(q, '_page', '_limit', 1), sort: inPair(q.get('_sort'), q.get('_order')) }),
    reply: (rows, total) => ({ headers: { 'X-Total-Count': String(total) }, body: rows }),
    manyColumns: false,
  },
  {
    name: 'Django REST with pages',
    path: '/api/people/',
    read: (q) => ({ ...paged(q, 'page', 'page_size', 1), sort: signed(q.get('ordering')) }),
    reply: body((results, count) => ({ count, next: null, previous: null, results })),
    manyColumns: true,
  },
  {
    name: 'Django REST with offsets',
    path: '/api/people/',
    read: (q) => ({ ...offset(q, 'offset', 'limit'), sort: signed(q.get('ordering')).slice(0, 1) }),
    reply: body((results, count) => ({ count, next: null, previous: null, results })),
    manyColumns: false,
  },
  {
    name: 'OData v4',
    path: '/odata/People',
    read: (q) => ({ ...offset(q, '$skip', '$top'), sort: worded(q.get('$orderby'), ' ') }),
    reply: body((value, total) => ({ '@odata.context': '$metadata#People', '@odata.count': total, value })),
    manyColumns: true,
  },
  {
    name: 'Spring Data',
    path: '/api/people',
    read: (q) => ({
      ...paged(q, 'page', 'size', 0),
      sort: q.getAll('sort').map((one) => ({ column: one.split(',')[0]!, descending: /,desc$/i.test(one) })),
    }),
    reply: body((content, total, { first, size }) => ({
      content,
      page: {
        size,
        totalElements: total,
        totalPages: Math.ceil(total / size),
        number: Math.floor(first / size),
      },
    })),
    manyColumns: true,
  },
  {
    name: 'Strapi',
    path: '/api/people',
    read: (q) => ({ ...offset(q, 'start', 'limit'), sort: worded(q.get('sort'), ':') }),
    reply: body((data, total) => ({ data, total })),
    manyColumns: true,
  },
  {
    name: 'row numbers from 1',
    path: '/scim/People',
    read: (q) => ({
      ...offset(q, 'startIndex', 'count', 1),
      sort: inPair(q.get('sortBy'), q.get('sortOrder')),
    }),
    reply: body((Resources, totalResults, { first, size }) => ({
      totalResults,
      startIndex: first + 1,
      itemsPerPage: size,
      Resources,
    })),
    manyColumns: false,
  },
  {
    name: 'pages of 25',
    path: '/people',
    read: (q) => ({
      ...paged(q, 'page', '-', 1),
      size: 25,
      first: (Math.max(1, number(q, 'page', 1)) - 1) * 25,
      sort: signed(q.get('sort')).slice(0, 1),
    }),
    reply: body((items, total) => ({ total, items })),
    manyColumns: false,
    isFixed: true,
  },
];

/** A service that orders ties in its own way. */
export type TiedService = {
  readonly origin: string;
  records: readonly ModelRecord[];
  close(): Promise<void>;
};

const nativeOf = ({ id, name, email, created_at: since }: ModelRecord) => ({
  id: Number(id.slice('user_'.length)),
  name,
  email,
  created_at: since,
});

const keyOf = (record: ModelRecord, column: string) =>
  column === 'id' ? record.id : (record[column] ?? null);

/** Unknown values are last, as in a database with NULLS LAST; composed and decomposed texts are equal. */
function compareColumn(
  a: ModelRecord,
  b: ModelRecord,
  { column, descending }: SortColumn,
  asText: boolean,
): number {
  const [left, right] = [keyOf(a, column), keyOf(b, column)];
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
  const compare = column === 'id' && !asText ? compareIds : compareTexts;
  return compare(left, right) * (descending ? -1 : 1);
}

function ordered(
  records: readonly ModelRecord[],
  { sort, first, size }: Asked,
  way: TieOrder,
): readonly ModelRecord[] {
  const numberOf = ({ id }: ModelRecord) => Number(id.slice('user_'.length));
  const ties = (a: ModelRecord, b: ModelRecord) => {
    if (way === 'anew for each limit and offset') {
      const salt = first * 131 + size;
      return (
        drawn(numberOf(a) * 31 + salt, 10_007) - drawn(numberOf(b) * 31 + salt, 10_007) ||
        numberOf(a) - numberOf(b)
      );
    }
    return way === 'by descending id' ? numberOf(b) - numberOf(a) : 0;
  };
  const isSorted = sort.length > 0;
  return records.toSorted((a, b) => {
    for (const [at, one] of sort.entries()) {
      const found = compareColumn(a, b, one, way === 'as text' && at > 0);
      if (found !== 0) return found;
    }
    return isSorted ? ties(a, b) : compareIds(a.id, b.id);
  });
}

/** Starts a service of a dialect, with ties in some order. */
export async function startTiedService(
  dialect: TiedDialect,
  way: TieOrder,
  records: readonly ModelRecord[],
): Promise<TiedService> {
  let current = records;
  const upstream = await startUpstream(
    serving(({ path, query }) => {
      const one = /^(.*)\/(\d+)\/?$/.exec(path);
      if (one !== null && `${one[1]}/` === dialect.path.replace(/\/?$/, '/')) {
        const found = current.find(({ id }) => id === `user_${one[2]}`);
        return found === undefined
          ? { status: 404, body: { error: 'not found' } }
          : { body: nativeOf(found) };
      }
      if (path !== dialect.path) return { status: 404, body: { error: 'not found' } };
      const read = dialect.read(query);
      const known = read.sort.filter(({ column }) => ['id', 'name', 'email', 'created_at'].includes(column));
      const asked = { ...read, sort: dialect.manyColumns ? known : known.slice(0, 1) };
      const rows = ordered(current, asked, way).slice(asked.first, asked.first + asked.size);
      return dialect.reply(rows.map(nativeOf), current.length, asked);
    }),
  );
  return {
    origin: upstream.origin,
    get records() {
      return current;
    },
    set records(changed) {
      current = changed;
    },
    close: () => upstream.close(),
  };
}
