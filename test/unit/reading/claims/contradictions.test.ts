import type { UpstreamReply } from '../../../../src/kernel/upstream-call.ts';
import type { ModelRecord } from '../../../support/model/contract-model.ts';
import { type Asked, openSource } from '../../../support/pipeline/scripted-source.ts';
import {
  codeOf,
  expectedBody,
  filtersOf,
  honest,
  matching,
  product,
  products,
  rowsReply,
  shopText,
  windowOf,
} from '../shop.ts';

const rows = products(30);
const mixed: ModelRecord[] = products(30).map((one, i) => ({
  ...one,
  category: i % 3 === 0 ? 'Books' : 'Toys',
  price: `${i}.50`,
}));

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
      ['filter.category.eq', 'filter.price.ge', 'filter.price.le'],
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
    expect(lyingSource.contradicted).toHaveLength(3);
  });
});

describe('a source that filters what it has paged, and counts what it has not filtered', () => {
  const late =
    (all: readonly ModelRecord[]) =>
    (asked: Asked): UpstreamReply =>
      rowsReply(matching(asked.parameters, windowOf(asked, all)), all.length);
  const text = shopText({ filters: filtersOf('exact') });

  it.each(['', '&page=2', '&page=50', '&page=50&limit=3'])(
    'is asked for all rows instead: %s',
    async (page) => {
      const source = openSource('products', text, late(mixed));
      const raw = `category=Toys${page}`;
      expect(await source.list(raw)).toBe(expectedBody('products', mixed, raw));
      expect(source.contradicted).toEqual(['filter.category.eq']);
    },
  );

  it('keeps the claims of its total and of its filters where rows are missing that it counts', async () => {
    const source = openSource('products', text, (asked) => rowsReply(windowOf(asked, rows), 33));
    for (const raw of ['', 'limit=100', 'category=Toys&page=50'])
      expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
    expect(source.contradicted).toEqual([]);
  });

  describe('and counts some too many', () => {
    const odd = products(137);
    const lying = (asked: Asked) => rowsReply(windowOf(asked, odd), 138);
    const pages = ['', 'limit=5', 'limit=100&page=2', 'page=50'];

    it('has its rows counted, on each page, once a page has shown it', async () => {
      const source = openSource('products', text, lying);
      expect(await source.list('limit=5&page=28')).toBe(expectedBody('products', odd, 'limit=5&page=28'));
      expect(source.contradicted).toEqual(['total']);
      for (const raw of pages) expect(await source.list(raw)).toBe(expectedBody('products', odd, raw));
    });

    it('is 502 on the page that shows it, where the budget allows no scan', async () => {
      const source = openSource('products', shopText({ budget: '{ rows: 100 }' }), lying);
      expect(await codeOf(source.list('limit=5&page=28'))).toBe('upstream_invalid_response');
    });

    it.each([
      ['a round number of rows comes', 50, 57, 20],
      ['rows are missing in more windows than the last', 137, 157, 10],
      ['the last window that came is full', 130, 137, 10],
    ])('is 502, since the source may have those rows, where %s', async (_why, given, counted, size) => {
      const source = openSource(
        'products',
        shopText({ window: `{ kind: offset, sizeMax: ${size} }` }),
        (asked) => rowsReply(windowOf(asked, odd.slice(0, given)), counted),
      );
      const raw = `limit=5&page=${Math.ceil((given + 1) / 5)}`;
      expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
      expect(source.contradicted).toEqual([]);
    });
  });

  it('has its rows counted where it counts too few', async () => {
    const source = openSource('products', text, (asked) => rowsReply(windowOf(asked, rows), 20));
    expect(await source.list('limit=100')).toBe(expectedBody('products', rows, 'limit=100'));
    expect(source.contradicted).toEqual(['total']);
  });
});

describe('a source whose totals do not fit together', () => {
  it('is asked once more, because rows come and go', async () => {
    let count = 30;
    const source = openSource('products', shopText(), (asked) => {
      if (asked.number === 2) count = 31;
      return honest(() => products(count))(asked);
    });
    expect(await source.list('limit=30')).toBe(expectedBody('products', products(31), 'limit=30'));
    expect(source.contradicted).toEqual([]);
  });

  it.each(['page', 'scan'])('twice is 502: a %s is never put together from two truths', async (kind) => {
    const source = openSource('products', shopText(kind === 'scan' ? { order: 'unknown' } : {}), (asked) =>
      rowsReply(windowOf(asked, rows), 30 + (asked.number % 2)),
    );
    expect(await codeOf(source.list('limit=30'))).toBe('upstream_invalid_response');
    // Two walks of at most four windows each, two more in which the total is only a bound, and no fifth.
    expect(source.calls.length).toBeLessThanOrEqual(16);
    expect(source.contradicted).toEqual([]);
  });

  it('or gives a record twice in a scan, is asked once more', async () => {
    const source = openSource('products', shopText({ order: 'unknown' }), (asked) => {
      const window = windowOf(asked, rows);
      return rowsReply(asked.number === 2 ? [rows[0]!, ...window.slice(1)] : window, 30);
    });
    expect(await source.list('limit=5')).toBe(expectedBody('products', rows, 'limit=5'));
  });

  it('or gives a record twice in every scan, is 502', async () => {
    const twice = [...rows.slice(0, 29), rows[0]!];
    const source = openSource('products', shopText({ order: 'unknown' }), (asked) =>
      rowsReply(windowOf(asked, twice), 30),
    );
    expect(await codeOf(source.list('limit=5'))).toBe('upstream_invalid_response');
  });
});
