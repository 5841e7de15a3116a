import type { Breaks } from '../harness/start-service.ts';
import type { StoredRecord } from '../harness/records.ts';
import type { WrittenRow } from '../harness/stages.ts';
import { allPages, type ListTree, type ValueCase } from './run-case.ts';

type Records = readonly StoredRecord[];

/** The native id of the product that has a value of another type. */
const ODD = '9001';

const nativeId = ({ id }: WrittenRow) => JSON.stringify(id).replaceAll('"', '');

/** A product with an id of its own, added to the records. */
const withOdd =
  (fields: Readonly<Record<string, string | null>>) =>
  (records: Records): Records => {
    const { record, ...rest } = records[0]!;
    return [...records, { ...rest, record: { ...record, ...fields, id: `prod_${ODD}` } }];
  };

/** Writes a field of that product otherwise, and says by itself whether it matches. */
const odd =
  (
    field: string,
    value: unknown,
    matches: (ask: Parameters<Matches>[0], isMatch: boolean) => boolean,
  ): Breaks =>
  (correct) => ({
    row: (ask, row) => (nativeId(row) === ODD ? { ...row, [field]: value } : row),
    matches: (ask, record) => {
      const isMatch = correct.matches(ask, record);
      return record.id === `prod_${ODD}` ? matches(ask, isMatch) : isMatch;
    },
  });
type Matches = NonNullable<ReturnType<Breaks>['matches']>;

const filtersOf = ({ category, low, high }: Parameters<Matches>[0]) => ({
  byPrice: low !== undefined || high !== undefined,
  byCategory: category !== undefined,
});

/** The odd row is left out by every filter on its price. */
const leftOutByPrice = odd('price', '17.5', (ask, isMatch) => isMatch && !filtersOf(ask).byPrice);

const typed =
  (types: Readonly<Record<string, readonly string[]>>, map: Readonly<Record<string, unknown>> = {}) =>
  (list: ListTree): void => {
    for (const [field, operators] of Object.entries(list.filters))
      for (const filter of Object.values(operators)) if (types[field]) filter['types'] = types[field];
    Object.assign(list.map, map);
  };
const NUMBERS = { price: ['number'], category: ['string'] };

const byPrice = [
  { min_price: '5', limit: '100' },
  { min_price: '17.5' },
  { max_price: '17.5', limit: '100' },
  { min_price: '17', max_price: '18' },
];
const byCategory = ['Tools', '10', 'Café', 'Toys'].map((category) => ({ category, limit: '50' }));
const bothBounds = ['filter.price.ge', 'filter.price.le'];
const same = (records: Records) => records;

/** A row of another type that comes later. */
function later(name: string, one: Pick<ValueCase, 'shape' | 'breaks' | 'file' | 'asks' | 'disabled'>) {
  return {
    ...{ name: `types: ${name}`, records: same, differs: false, looks: allPages },
    write: withOdd({ price: '17.5' }),
    ...one,
  };
}

/** All prices as texts, compared as numbers. */
const pricesAsTexts: Breaks = () => ({
  row: (_ask, row) => ({ ...row, price: row['price'] === null ? null : JSON.stringify(row['price']) }),
});

/** Some of the prices are whole numbers. */
const withWholePrices = (records: Records): Records =>
  records.map((one, n) => {
    const price = one.record['price'] ?? null;
    const whole = price === null || n % 3 > 0 ? price : price.replace(/\..*/, '');
    return { ...one, record: { ...one.record, price: whole } };
  });

/** A price that is not known is null, or not there. */
const absentPrices: Breaks = () => ({
  row(_ask, { price, ...others }) {
    return price === null && Number(nativeId(others)) % 2 === 0 ? others : { ...others, price };
  },
});

const textsAndNumbers: Breaks = () => ({
  row: (_ask, row) =>
    row['price'] !== null && Number(nativeId(row)) % 2 === 0
      ? { ...row, price: JSON.stringify(row['price']) }
      : row,
});

/** Services whose rows have values of several JSON types. */
export const typeCases: readonly ValueCase[] = [
  later('a price is a text later', {
    ...{ shape: 'offset products', breaks: leftOutByPrice, file: typed(NUMBERS) },
    ...{ asks: byPrice, disabled: bothBounds },
  }),
  later('a price is a text later, in pages', {
    ...{ shape: 'page products', breaks: leftOutByPrice, file: typed(NUMBERS) },
    ...{ asks: byPrice, disabled: bothBounds },
  }),
  later('a price is a text later, behind a scan', {
    ...{ shape: 'cursor products', breaks: leftOutByPrice, file: typed(NUMBERS) },
    ...{ asks: byPrice, disabled: bothBounds },
  }),
  later('a price is a text later, behind a draft', {
    ...{ shape: 'offset products', breaks: leftOutByPrice, file: 'infer' },
    ...{ asks: byPrice, disabled: bothBounds },
  }),
  {
    ...later('a price is n/a later, and above all numbers', {
      shape: 'offset products',
      breaks: odd('price', 'n/a', (ask, isMatch) =>
        ask.category === undefined && ask.high === undefined ? true : isMatch,
      ),
      file: typed(NUMBERS),
      asks: byPrice,
      disabled: bothBounds,
    }),
    write: withOdd({ price: null }),
  },
  {
    ...later('a category is an object later', {
      shape: 'offset products',
      breaks: odd('category', { blob: 'VG9vbHM=' }, (ask) => ask.category === 'Tools'),
      file: typed(NUMBERS),
      asks: byCategory,
      disabled: ['filter.category.eq'],
    }),
    write: withOdd({ category: null }),
  },
  {
    ...later('a category is a number later', {
      shape: 'page products',
      breaks: odd('category', 10, (ask, isMatch) => isMatch && !filtersOf(ask).byCategory),
      file: typed(NUMBERS, { category: { from: 'category', as: ['text'] } }),
      asks: byCategory,
      disabled: ['filter.category.eq'],
    }),
    write: withOdd({ category: '10' }),
  },
  {
    ...{ name: 'types: a price was a text before', shape: 'offset products', differs: true },
    ...{ records: withOdd({ price: '17.5' }), breaks: leftOutByPrice, file: typed(NUMBERS) },
    ...{ looks: allPages, asks: byPrice, disabled: bothBounds },
  },
  {
    ...{ name: 'types: a price was a text before, in a file without types', shape: 'offset products' },
    ...{ records: withOdd({ price: '17.5' }), breaks: leftOutByPrice, file: typed({}), differs: true },
    ...{ looks: [], asks: [], disabled: [] },
  },
  {
    ...{ name: 'types: a price was a text before, behind a draft', shape: 'offset products', differs: false },
    ...{ records: withOdd({ price: '17.5' }), breaks: leftOutByPrice, file: 'infer' },
    ...{ looks: allPages, asks: byPrice, disabled: [] },
  },
  ...(['offset products', 'cursor products'] as const).flatMap((shape): readonly ValueCase[] => {
    const correct = { shape, records: same, differs: false, looks: allPages, disabled: [] };
    const asks = [...byPrice, ...byCategory];
    return [
      {
        ...{ ...correct, name: `types: all prices are texts (${shape}, correct)`, breaks: pricesAsTexts },
        ...{ file: typed({ price: ['string'] }), asks },
      },
      {
        ...{ ...correct, name: `types: whole and other numbers, null, absent (${shape}, correct)` },
        records: withWholePrices,
        ...{ breaks: absentPrices, file: typed(NUMBERS), asks },
      },
      {
        ...{ ...correct, name: `types: texts and numbers compared as one (${shape}, correct)` },
        ...{ breaks: textsAndNumbers, file: typed({ price: ['number', 'string'] }), asks },
      },
      {
        ...{ ...correct, name: `types: a draft of texts and numbers (${shape}, correct)` },
        ...{ breaks: textsAndNumbers, file: 'infer', says: 'types: [number, string]', asks },
      },
    ];
  }),
  {
    ...{ name: 'types: unknown prices are n/a, and match nothing (correct)', shape: 'offset products' },
    ...{ records: same, differs: false, looks: allPages, disabled: [], asks: byPrice },
    breaks: () => ({
      row: (_ask, row) => ({ ...row, ...('price' in row && { price: row['price'] ?? 'n/a' }) }),
    }),
    file: typed(NUMBERS, { price: { from: 'price', as: [{ nullIf: ['n/a'] }] } }),
  },
];
