import type { ModelRecord } from '../../../../support/model/contract-model.ts';
import { openSource, type Serve } from '../../../../support/pipeline/scripted-source.ts';
import { expectedBody, filtersOf, matching, product, rowsReply, shopText, windowOf } from '../shop.ts';

/** 195 products of which some are rare, by number. */
const shopWith = (rare: readonly number[]): readonly ModelRecord[] =>
  Array.from({ length: 195 }, (_, i) => product(i + 1, { category: rare.includes(i + 1) ? 'Rare' : 'Toys' }));

const shops = {
  'none in the first window': shopWith([104, 111, 120, 133, 140, 151, 160, 171, 180, 195]),
  'some in the first window': shopWith([3, 40, 55, 77, 99, 104, 111, 133, 151, 180, 195]),
  'none in the first windows': shopWith([185, 186, 187]),
};

const windows = ['offset, sizeMax: 50', 'page, base: 0, sizes: [50]'];
const combinations = Object.entries(shops).flatMap(([name, rows]) =>
  ['{ at: hits }', '{ at: hits, counts: all }', ''].flatMap((total) =>
    ['end', 'anywhere'].flatMap((shortPage) =>
      ['empty', 'other'].flatMap((pastEnd) =>
        ['exact', 'superset'].flatMap((exactness) =>
          windows.map((window) => ({ name, rows, total, shortPage, pastEnd, exactness, window })),
        ),
      ),
    ),
  ),
);

function textOf({ total, shortPage, pastEnd, exactness, window }: (typeof combinations)[number]): string {
  return shopText({
    total,
    window: `{ kind: ${window}, shortPage: ${shortPage}, pastEnd: ${pastEnd} }`,
    query: window.startsWith('page')
      ? "{ page: '{page}', n: '{limit}' }"
      : "{ from: '{offset}', n: '{limit}' }",
    filters: filtersOf(exactness),
  });
}

/** Filters what it has paged, and counts what it has not filtered. */
const late =
  (rows: readonly ModelRecord[]): Serve =>
  (asked) =>
    rowsReply(matching(asked.parameters, windowOf(asked, rows)), rows.length);

describe('a source that filters what it has paged', () => {
  it.each(combinations)(
    'loses no row: $name, total $total, shortPage $shortPage, pastEnd $pastEnd, $exactness, $window',
    async (combination) => {
      const { rows } = combination;
      const source = openSource('products', textOf(combination), late(rows));
      for (const raw of ['category=Rare', 'category=Rare&limit=3&page=2', 'category=None'])
        expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
      await source.close();
    },
  );
});

describe('a source that filters before it pages', () => {
  const { length } = combinations;
  it.each(combinations)(
    `is right too: $name, total $total, shortPage $shortPage, pastEnd $pastEnd, $exactness, $window (of ${length})`,
    async (combination) => {
      const { rows, total } = combination;
      const source = openSource('products', textOf(combination), (asked) => {
        const found = matching(asked.parameters, rows);
        return rowsReply(windowOf(asked, found), total.includes('all') ? rows.length : found.length);
      });
      for (const raw of ['category=Rare', 'category=Toys&limit=3&page=2', 'category=None'])
        expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
      expect(source.contradicted).toEqual([]);
      await source.close();
    },
  );
});
