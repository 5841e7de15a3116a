import fc from 'fast-check';
import { compareDecimals } from './contract-model.ts';
import { type Capabilities, CATEGORIES, type Row, v1Id } from './capabilities.ts';

/** Parameters of a list, or the id of a single record. */
export type Question = { readonly list: Readonly<Record<string, string>> } | { readonly id: string };

const NAMES = '|a|A|b|Ä|é|e\u0301|ﬁ|😀|o\'x|x;y|x "y" z|<b>&amp;|]]>|50%|a\nb|{value}|0|\ufffd'.split('|');
const ODD_IDS = 'a/b c ä|1 o\'x %2F x~y a?b=c&d # "q" 100 007 .x A a a+b 😀 - {id} x,y'.split(' ');
const PRICES = '0 0.00 9.99 10 10.5 10.50 0.1 0.01 100000000000000000.01 9007199254740993'.split(' ');
const INSTANTS =
  '1969-12-31T23:59:59Z 2020-01-01T00:00:00Z 2020-01-01T00:00:00.500Z 2020-01-01T00:00:01Z'.split(' ');
const SORTS = 'id -id name -name email -email created_at -created_at'.split(' ');

function nativeId({ ids }: Capabilities, n: number): string {
  if (ids === 'odd') return ODD_IDS[n % ODD_IDS.length]!;
  if (ids === 'uuid')
    return `${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}-0000-4000-8000-0000000000ab`;
  const digits = n % 5 === 4 ? `900719925474099${n}` : String(n);
  return ids === 'padded' ? digits.padStart(8, '0') : digits;
}

const oneOf = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { freq: 4 });

const FIELDS: Readonly<Record<Capabilities['resource'], fc.Arbitrary<Record<string, string | null>>>> = {
  users: fc.record({ name: oneOf(NAMES), email: oneOf(NAMES), created_at: oneOf(INSTANTS) }),
  products: fc.record({
    ...{ name: oneOf(NAMES), description: oneOf(NAMES) },
    ...{ price: oneOf(PRICES), category: oneOf(CATEGORIES) },
  }),
};

/** What v1 can make of a value that has been through the source: tables have no empty text, cents two places. */
function held({ format, coded }: Capabilities, name: string, value: string | null): string | null {
  if (value === null || (format === 'csv' && value === '')) return null;
  if (!coded || name !== 'price') return value;
  const [units = '', places = ''] = value.split('.');
  return `${units}.${places.padEnd(2, '0')}`;
}

/** Rows with everything that is awkward about rows. */
export function rowsOf(can: Capabilities): fc.Arbitrary<readonly Row[]> {
  const row = fc.tuple(fc.nat(16), FIELDS[can.resource]);
  return fc.uniqueArray(row, { maxLength: 17, size: 'max', selector: ([n]) => n }).map((list) =>
    list.map(([n, values], index) => {
      const native = nativeId(can, n);
      const fields = Object.entries(values).map(([name, value]) => [name, held(can, name, value)]);
      return {
        native,
        record: { id: v1Id(can, native), ...Object.fromEntries(fields) },
        // Never all rows of two windows on end.
        hidden: can.hides && index % 2 === 1 && index < can.size * 2,
      };
    }),
  );
}

const bound = fc.option(fc.constantFrom(...PRICES, '10.505', '0000', '99999999999999999999'), {
  nil: undefined,
});

type Wanted = Readonly<Record<'sort' | 'category' | 'low' | 'high', string | undefined>>;

function parametersOf({ resource }: Capabilities, { sort, category, low, high }: Wanted) {
  if (resource === 'users') return { sort };
  const crossed = low !== undefined && high !== undefined && compareDecimals(low, high) > 0;
  return { category, min_price: crossed ? high : low, max_price: crossed ? low : high };
}

/** Which pages are asked for: any, those that hold every row, or those and some behind the last row. */
export type Asks = 'any' | 'whole' | 'whole or past';

const PAGES: Readonly<Record<Asks, readonly number[]>> = {
  any: [1, 1, 1, 2, 3, 7, 1_000_000_000],
  whole: [1],
  'whole or past': [1, 1, 1, 2, 3, 1_000_000_000],
};

function listQuestion(can: Capabilities, asks: Asks): fc.Arbitrary<Question> {
  const limit = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(100));
  return fc
    .record({
      page: fc.constantFrom(...PAGES[asks]),
      limit: asks === 'any' ? limit : fc.integer({ min: 40, max: 100 }),
      sort: fc.option(fc.constantFrom(...SORTS), { nil: undefined }),
      category: fc.option(fc.constantFrom(...CATEGORIES, 'Nobody'), { nil: undefined, freq: 2 }),
      low: bound,
      high: bound,
    })
    .map(({ page, limit, ...wanted }) => {
      const given = Object.entries({ page: `${page}`, limit: `${limit}`, ...parametersOf(can, wanted) });
      const there = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      return { list: Object.fromEntries(there) as Record<string, string> };
    });
}

/** Up to four questions. */
export function questionsOf(can: Capabilities, asks: Asks): fc.Arbitrary<readonly Question[]> {
  const list = listQuestion(can, asks);
  const one = fc.nat(20).map((n) => ({ id: v1Id(can, nativeId(can, n)) }));
  return fc.array(can.resource === 'users' ? fc.oneof(list, list, one) : list, {
    minLength: 1,
    maxLength: 4,
  });
}
