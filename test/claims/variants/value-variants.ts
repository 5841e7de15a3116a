import type { UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { productOf, productsFile, productsOf, type Row, slice, userOf, usersOf, single } from './parts.ts';
import type { Variant, VariantService } from './variant-row.ts';

type Rows = readonly Row[];

/** Products of a service that filters as `keeps` says. */
function selling(
  before: Rows,
  keeps: (row: Row, request: UpstreamRequest) => boolean,
  { after = before, truth = productOf }: { after?: Rows; truth?: typeof productOf } = {},
) {
  return (): VariantService => {
    let rows = before;
    return {
      records: () => rows.map(truth),
      change: () => void (rows = after),
      reply: (request) => {
        const found = rows.filter((row) => keeps(row, request));
        return { body: { total: found.length, items: slice(found, request) } };
      },
    };
  };
}

const BY_ID = 'window: { kind: offset, sizeMax: 100 }, total: { at: total }, order: id, orderIs: documented';
const LABELS = [
  ...['50%20off', '100%', 'a%41', 'dir\\', 'c:\\new', 'say "no"', 'Tools ', '\\\\', "o'clock"],
  ...['Spare parts and accessories for garden furniture of any make', 'null', 'Toys'],
];
const labelled = productsOf(240, (n) => ({
  category: n % 4 === 3 ? LABELS[(n >> 2) % LABELS.length] : `Group ${n % 41}`,
}));
const labelAsks = [...LABELS, 'Group 5', 'Group 40'].map((category) =>
  new URLSearchParams({ category, limit: '20' }).toString(),
);

const byLabel =
  (read: (label: string) => string) =>
  (row: Row, { query }: UpstreamRequest) => {
    const wanted = query.get('group');
    return wanted === null || row['category'] === read(wanted);
  };
const BY_LABEL = productsFile({
  list: `${BY_ID}, filters: { category: { eq: { query: { group: '{value}' }, exactness: exact } } }`,
});

/** `category eq "…"`, where a backslash is an escape, as `unescape` says. */
const quoted =
  (unescape: (text: string) => string) =>
  (row: Row, { query }: UpstreamRequest) => {
    const expression = query.get('q');
    if (expression === null) return true;
    const text = /^category eq "(.*)"$/s.exec(expression)?.[1];
    return text !== undefined && unescape(text) === row['category'];
  };
const QUOTED = productsFile({
  query: "offset: '{offset}', limit: '{limit}', q: '{filter}'",
  list: `${BY_ID}, filters: { category: { eq: { expr: 'category eq {value}', escape: json, exactness: exact } } }`,
});

const priced =
  (price: (row: Row) => number | undefined) =>
  (row: Row, { query }: UpstreamRequest) => {
    const [low, high] = [query.get('min_price'), query.get('max_price')];
    const own = price(row);
    if (low === null && high === null) return true;
    return own !== undefined && own >= Number(low ?? 0) && own <= Number(high ?? Infinity);
  };
const BY_PRICE = (types: string) =>
  productsFile({
    list: `${BY_ID}, filters: { price: { ge: { query: { min_price: '{value}' }, exactness: exact${types} }, le: { query: { max_price: '{value}' }, exactness: exact${types} } } }`,
  });
const NUMBERS = ', types: [number]';
const withFlags = (rows: Rows) => rows.map((row) => (row.id % 40 === 7 ? { ...row, price: true } : row));
/** As the languages do in which true is 1. */
const flagsAreOne = priced(({ price }) => (price === null ? undefined : Number(price)));
const priceAsks = ['limit=100', 'min_price=0&limit=5', 'max_price=30&limit=50', 'min_price=0.5&max_price=20'];
const plain = productsOf(110);
const unknown = productsOf(110, (n) => (n % 8 === 3 ? { price: null } : {}));

const DESCRIBED = (raw: (n: number) => string) =>
  productsOf(60, (n) => ({ description: n % 5 === 2 ? `salt &amp; pepper ${n}` : raw(n) }));
const drafted = (rows: Rows, truth = productOf) =>
  selling(rows, ({ category }, { query }) => category === (query.get('category') ?? category), { truth });
const unescaped = (row: Row) =>
  productOf({ ...row, description: String(row['description']).replaceAll('&amp;', '&') });

/** Days and months that cannot be told apart; the service writes the month first. */
const monthFirst = usersOf(60, (n) => ({ created_at: `0${1 + (n % 9)}/0${1 + (n % 7)}/2023` }));
const instantOf = (row: Row) => {
  const [month, day, year] = String(row['created_at']).split('/');
  return userOf({ ...row, created_at: `${year}-${month}-${day}T00:00:00Z` });
};

const base = { resource: 'products' } as const;
const pages = ['limit=20', 'limit=20&page=2', 'limit=20&page=3', 'category=Toys'];

/** Filters and guesses that take a value for another one. */
export const valueVariants: readonly Variant[] = [
  {
    ...{ ...base, name: 'variant of filters: a backslash at the end stays escaped', asks: labelAsks },
    start: selling(
      labelled,
      quoted((label) => label.replaceAll(/\\(["\\])(?=.)/g, '$1')),
    ),
    file: QUOTED,
  },
  {
    ...{ ...base, name: 'variant of filters: a long value finds nothing', asks: labelAsks },
    ...{
      start: selling(
        labelled,
        byLabel((label) => (label.length > 40 ? '' : label)),
      ),
      file: BY_LABEL,
    },
  },
  {
    ...{ ...base, name: 'variant of filters: every value in quotes, correct', asks: labelAsks },
    start: selling(
      labelled,
      quoted((label) => JSON.parse(`"${label}"`) as string),
    ),
    file: QUOTED,
  },
  {
    ...{ ...base, name: 'variant of guesses: references, and one address with a raw &copy' },
    asks: pages,
    start: drafted(
      DESCRIBED((n) => (n === 31 ? 'see /x?a=1&copy=2' : `Text ${n}`)),
      (row) => (row.id === 32 ? productOf(row) : unescaped(row)),
    ),
  },
  {
    ...{ ...base, name: 'variant of guesses: days and months look alike', resource: 'users' },
    asks: ['limit=20', 'sort=-created_at&limit=10', 'limit=20&page=3'],
    start: () => ({
      records: () => monthFirst.map(instantOf),
      reply: (request) =>
        single(monthFirst, request) ?? {
          body: { total: monthFirst.length, items: slice(monthFirst, request) },
        },
    }),
  },
  {
    ...{ ...base, name: 'variant of guesses: every ampersand is escaped, correct', asks: pages },
    start: drafted(
      DESCRIBED((n) => `Text ${n}`),
      unescaped,
    ),
  },
  {
    ...{ ...base, name: 'variant of types: true among numbers is one', asks: priceAsks },
    ...{ start: selling(withFlags(plain), flagsAreOne), file: BY_PRICE('') },
  },
  {
    ...{ ...base, name: 'variant of types: true among numbers comes later', asks: priceAsks },
    start: selling(plain, flagsAreOne, { after: withFlags(plain) }),
    file: BY_PRICE(NUMBERS),
  },
  {
    ...{ ...base, name: 'variant of types: numbers and nulls, correct', asks: priceAsks },
    start: selling(
      unknown,
      priced(({ price }) => (price as number | null) ?? undefined),
    ),
    file: BY_PRICE(NUMBERS),
  },
];
