import type { ModelRecord } from '../../../../support/model/contract-model.ts';
import { openSource, type Serve } from '../../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';
import {
  expectedBody,
  filtersOf,
  honest,
  matching,
  product,
  rowsReply,
  shopText,
  windowOf,
} from '../shop.ts';

const rows: readonly ModelRecord[] = Array.from({ length: 90 }, (_, i) =>
  product(i + 1, { category: i % 3 === 0 ? 'Books' : 'Toys', price: `${i}.50` }),
);
const text = shopText({ filters: filtersOf('exact') });

/** Rows without the field match every value. */
function lenient(all: readonly ModelRecord[]): Serve {
  return ({ parameters, ...asked }) => {
    const empty = all.filter(({ category, price }) =>
      parameters['cat'] === undefined ? price === null : category === null,
    );
    const found = new Set([...matching(parameters, all), ...empty]);
    const list = Object.keys(parameters).some((name) => name !== 'from' && name !== 'n')
      ? all.filter((row) => found.has(row))
      : all;
    return rowsReply(windowOf({ ...asked, parameters }, list), list.length);
  };
}

describe('a filtered total that counts all rows', () => {
  /** It filters right, and counts what it has not filtered, for some values alone. */
  const unfiltered =
    (isLie: (value: string) => boolean): Serve =>
    (asked) => {
      const found = matching(asked.parameters, rows);
      return rowsReply(
        windowOf(asked, found),
        isLie(asked.parameters['cat'] ?? '') ? rows.length : found.length,
      );
    };

  it('is found on the first page, where the claim is looked at for the first time', async () => {
    const source = openSource(
      'products',
      text,
      unfiltered((value) => value !== ''),
    );
    const raw = 'category=Books&limit=5';
    expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
    expect(source.contradicted).toEqual(['filter.category.eq']);
  });

  it('is found on the first page, where the total of the whole list is known', async () => {
    const source = openSource(
      'products',
      text,
      unfiltered((value) => value === 'Books'),
    );
    for (const raw of ['limit=5', 'category=Toys&limit=5', 'category=Books&limit=5'])
      expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
    expect(source.contradicted).toEqual(['filter.category.eq']);
  });

  it('is right where all rows match, and looked at once', async () => {
    const source = openSource(
      'products',
      text,
      honest(() => rows),
    );
    await source.list('limit=5');
    for (const raw of ['min_price=0&limit=5', 'min_price=0&limit=5&page=2'])
      expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
    // The list; the page, the last window, the empty one behind it, and a price that nothing has; the other page.
    expect(source.calls).toHaveLength(1 + 4 + 1);
    expect(source.contradicted).toEqual([]);
  });
});

describe('a filter that rows without the field match', () => {
  const gaps = rows.map((row, i) =>
    i === 40 ? { ...row, category: null } : i === 50 ? { ...row, price: null } : row,
  );

  it.each([
    ['category=Books&limit=5', 'filter.category.eq'],
    ['min_price=3&limit=5', 'filter.price.ge'],
    ['max_price=80&limit=5', 'filter.price.le'],
  ])('loses its claim on a page that does not show them: %s', async (raw, claim) => {
    const source = openSource('products', text, lenient(gaps));
    expect(await source.list(raw)).toBe(expectedBody('products', gaps, raw));
    expect(source.contradicted).toEqual([claim]);
  });

  it.each([
    ['an enum of words', '{ enum: { bk: Books, ty: Toys } }', { Books: 'bk', Toys: 'ty' }],
    ['an enum of numbers', "{ enum: { '1': Books, '2': Toys } }", { Books: '1', Toys: '2' }],
    ['a template', "{ template: 'o{value}' }", { Books: 'Bo', Toys: 'To' }],
  ] as const)('loses its claim where labels are written by %s', async (name, step, codes) => {
    const withCategory = (change: (label: 'Books' | 'Toys') => string) =>
      gaps.map((row) => ({
        ...row,
        category: row['category'] === null ? null : change(row['category'] as 'Books' | 'Toys'),
      }));
    const coded = withCategory((label) => codes[label]);
    const labelled = withCategory((label) => (name === 'a template' ? `o${codes[label]}` : label));
    const source = openSource(
      'products',
      text.replace('category: category }', `category: { from: category, as: [${step}] } }`),
      lenient(coded),
    );
    const raw = `category=${name === 'a template' ? 'oBo' : 'Books'}&limit=5`;
    expect(await source.list(raw)).toBe(expectedBody('products', labelled, raw));
    expect(source.contradicted).toEqual(['filter.category.eq']);
  });

  it('keeps its claim where the source refuses a value that no record has', async () => {
    const source = openSource('products', text, (asked) =>
      asked.parameters['cat']?.startsWith('none') === true
        ? replyOf({}, { status: 500 })
        : honest(() => rows)(asked),
    );
    const raw = 'category=Books&limit=5';
    expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
    expect(source.contradicted).toEqual([]);
  });
});

describe('a page that shows all rows', () => {
  it('costs no call more', async () => {
    const source = openSource(
      'products',
      text,
      honest(() => rows),
    );
    await source.list('category=Books&limit=100');
    const { length } = source.calls;
    await source.list('category=Books&limit=100');
    expect(source.calls).toHaveLength(2 * length);
  });
});
