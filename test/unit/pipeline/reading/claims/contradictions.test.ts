import type { ModelRecord } from '../../../../support/model/contract-model.ts';
import { openSource } from '../../../../support/pipeline/scripted-source.ts';
import {
  expectedBody,
  filtersOf,
  honest,
  matching,
  mixed,
  product,
  products,
  rowsReply,
  shopText,
  windowOf,
} from '../shop.ts';

const rows = products(30);

describe('a source that claims an order it does not keep', () => {
  const backwards = honest(() => rows.toReversed());

  it('loses the claim at the second contradiction; the answer is computed, and right', async () => {
    const source = openSource('products', shopText(), backwards);
    expect(await source.list('limit=5&page=2')).toBe(expectedBody('products', rows, 'limit=5&page=2'));
    expect(source.contradicted).toEqual(['order']);
  });

  it('is not believed again', async () => {
    const source = openSource('products', shopText({ budget: '{ snapshot: 0s }' }), backwards);
    await source.list('limit=5');
    const before = source.calls.length;
    expect(await source.list('limit=5&page=3')).toBe(expectedBody('products', rows, 'limit=5&page=3'));
    // A scan of three windows, and a look behind the end that the total names.
    expect(source.calls.length - before).toBe(4);
    expect(source.contradicted).toEqual(['order']);
  });

  it('keeps the claim where it broke it once: rows move', async () => {
    const source = openSource('products', shopText(), (asked) =>
      asked.number === 1 ? backwards(asked) : honest(() => rows)(asked),
    );
    expect(await source.list('limit=5')).toBe(expectedBody('products', rows, 'limit=5'));
    expect(source.contradicted).toEqual([]);
  });

  it('is found out across windows too', async () => {
    const halves = [...rows.slice(15), ...rows.slice(0, 15)];
    const source = openSource(
      'products',
      shopText({ window: '{ kind: offset, sizeMax: 15 }' }),
      honest(() => halves),
    );
    expect(await source.list('limit=30')).toBe(expectedBody('products', rows, 'limit=30'));
    expect(source.contradicted).toEqual(['order']);
  });

  it('and gives a record twice is contradicted as well', async () => {
    let lies = 2;
    const source = openSource('products', shopText({ order: 'source' }), (asked) => {
      const window = windowOf(asked, rows);
      return rowsReply(lies-- > 0 ? window.map(() => window[0]!) : window, rows.length);
    });
    expect(await source.list('limit=5')).toBe(expectedBody('products', rows, 'limit=5'));
    expect(source.contradicted).toEqual(['order']);
  });
});

describe('a source with an order of its own', () => {
  it('has it as the default order, the same on every page', async () => {
    const source = openSource(
      'products',
      shopText({ order: 'source' }),
      honest(() => rows.toReversed()),
    );
    const ids = (body: string) => (JSON.parse(body) as { data: ModelRecord[] }).data.map(({ id }) => id);
    expect(ids(await source.list('limit=3'))).toEqual(['prod_30', 'prod_29', 'prod_28']);
    expect(ids(await source.list('limit=3&page=2'))).toEqual(['prod_27', 'prod_26', 'prod_25']);
    // A filter that is computed here keeps it.
    expect(ids(await source.list('limit=3&min_price=0'))).toEqual(['prod_30', 'prod_29', 'prod_28']);
  });
});

describe('a source that claims a filter it does not keep', () => {
  const exact = shopText({ filters: filtersOf('exact') });
  const deaf = honest(() => mixed);
  const ignoring =
    (...names: string[]): typeof deaf =>
    (asked) => {
      const heard = Object.fromEntries(
        Object.entries(asked.parameters).filter(([name]) => !names.includes(name)),
      );
      return deaf({ ...asked, parameters: heard });
    };

  it.each([
    ['category=Toys', ['cat'], ['filter.category.eq']],
    ['min_price=10', ['min'], ['filter.price.ge']],
    ['max_price=10', ['max'], ['filter.price.le']],
    ['category=Toys&min_price=10&max_price=20', ['max'], ['filter.price.le']],
    ['category=Toys&min_price=10&max_price=20', ['cat', 'max'], ['filter.category.eq', 'filter.price.le']],
    [
      'category=Toys&min_price=10&max_price=20',
      ['cat', 'min', 'max'],
      // A bound that is contradicted takes the other bound with it.
      ['filter.category.eq', 'filter.price.ge'],
    ],
  ])('%s, deaf to %j, loses the claims %j; the answer is computed, and right', async (raw, deafTo, lost) => {
    const source = openSource('products', exact, ignoring(...deafTo));
    expect(await source.list(raw)).toBe(expectedBody('products', mixed, raw));
    expect(source.contradicted).toEqual(lost);
    expect(await source.list(`${raw}&page=2&limit=3`)).toBe(
      expectedBody('products', mixed, `${raw}&page=2&limit=3`),
    );
    expect(source.contradicted).toEqual(lost);
  });

  it('keeps the claim where it broke it once', async () => {
    const source = openSource('products', exact, (asked) =>
      (asked.number === 1 ? ignoring('cat') : deaf)(asked),
    );
    expect(await source.list('category=Toys')).toBe(expectedBody('products', mixed, 'category=Toys'));
    expect(source.contradicted).toEqual([]);
  });

  it('is found out in a scan too', async () => {
    const scanning = shopText({ filters: filtersOf('exact'), total: '' });
    const source = openSource('products', scanning, ignoring('cat'));
    expect(await source.list('category=Toys')).toBe(expectedBody('products', mixed, 'category=Toys'));
    expect(source.contradicted).toEqual(['filter.category.eq']);
  });

  it('cannot be made to lose a claim by a question about a value that means "unknown"', async () => {
    const dashes = [product(1, { category: '-' }), product(2, { category: 'Toys' })];
    const text = exact.replace(
      'category: category',
      'category: { from: category, as: [trim, { nullIf: ["-"] }] }',
    );
    const source = openSource('products', text, (asked) =>
      rowsReply(
        windowOf(asked, matching(asked.parameters, dashes)),
        matching(asked.parameters, dashes).length,
      ),
    );
    for (const raw of ['category=-', 'category=%20Toys']) {
      expect(await source.list(raw)).toBe(expectedBody('products', [], raw));
      expect(await source.list(raw)).toBe(expectedBody('products', [], raw));
    }
    expect(source.contradicted).toEqual([]);
    expect(await source.list('category=Toys')).toBe(expectedBody('products', [dashes[1]!], 'category=Toys'));
  });

  it('and another one in turn loses both, within one answer', async () => {
    const text = shopText({ filters: filtersOf('exact'), window: '{ kind: offset, sizeMax: 100 }' });
    const source = openSource('products', text, (asked) =>
      ignoring(asked.number % 2 === 0 ? 'cat' : 'min')(asked),
    );
    const raw = 'category=Toys&min_price=10';
    expect(await source.list(raw)).toBe(expectedBody('products', mixed, raw));
    expect(source.contradicted.toSorted()).toEqual(['filter.category.eq', 'filter.price.ge']);
  });

  it('and every other one loses them all, within one answer', async () => {
    const source = openSource(
      'products',
      exact,
      honest(() => mixed.toReversed()),
    );
    const lyingSource = openSource('products', exact, (asked) =>
      rowsReply(windowOf(asked, mixed.toReversed()), 30),
    );
    const raw = 'category=Toys&min_price=10&max_price=20';
    for (const one of [source, lyingSource])
      expect(await one.list(raw)).toBe(expectedBody('products', mixed, raw));
    expect(source.contradicted).toEqual(['order']);
    // One of the two bounds, which takes the other with it.
    expect(lyingSource.contradicted.toSorted()).toEqual([
      'filter.category.eq',
      expect.stringMatching(/^filter\.price\.[gl]e$/),
    ]);
  });
});
