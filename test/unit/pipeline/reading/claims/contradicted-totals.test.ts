import type { UpstreamReply } from '../../../../../src/kernel/upstream-call.ts';
import type { ModelRecord } from '../../../../support/model/contract-model.ts';
import { type Asked, openSource } from '../../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';
import {
  codeOf,
  expectedBody,
  filtersOf,
  honest,
  matching,
  mixed,
  products,
  rowsReply,
  shopText,
  windowOf,
} from '../shop.ts';

const rows = products(30);

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

  it('loses the claim of its total, and no other, where fewer rows come than it counts', async () => {
    const source = openSource('products', text, (asked) => rowsReply(windowOf(asked, rows), 33));
    for (const raw of ['limit=100', 'page=50', 'category=Toys&page=50', 'limit=5'])
      expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
    expect(source.contradicted).toEqual(['total']);
  });

  it('keeps the claim of its total where a row is missing between others', async () => {
    const source = openSource('products', text, (asked) =>
      rowsReply(windowOf(asked, rows).toSpliced(4, 1), 30),
    );
    for (const raw of ['', 'limit=100'])
      expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
    expect(source.contradicted).toEqual([]);
  });

  describe('and counts some too many', () => {
    const odd = products(137);

    it.each([
      ['one row less comes than the total says', 137, 138, 100],
      ['a round number of rows comes', 50, 57, 20],
      ['rows are missing in more windows than the last', 137, 157, 10],
      ['the last window that came is full', 130, 137, 10],
    ])(
      'is 502 on every page then, since the source may have those rows, where %s',
      async (_why, given, counted, size) => {
        const source = openSource(
          'products',
          shopText({ window: `{ kind: offset, sizeMax: ${size} }` }),
          (asked) => rowsReply(windowOf(asked, odd.slice(0, given)), counted),
        );
        const seen = `limit=5&page=${Math.ceil((given + 1) / 5)}`;
        for (const raw of [seen, 'limit=5', 'limit=5&page=2'])
          expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
        expect(source.contradicted).toEqual(['total']);
      },
    );
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
    expect(source.contradicted).toEqual(['total']);
  });

  it('where they change with the size of a window loses its total, and is not believed in one size', async () => {
    // Windows of an odd size hide the last row of each ten, and do not count it.
    const source = openSource(
      'products',
      shopText({ filters: filtersOf('exact'), window: '{ kind: offset, sizeMax: 9 }' }),
      (asked) => {
        const isOdd = Number(asked.parameters['n']) % 2 === 1;
        const seen = matching(asked.parameters, isOdd ? mixed.filter((_row, i) => i % 10 !== 9) : mixed);
        return rowsReply(windowOf(asked, seen), seen.length);
      },
    );
    for (const raw of ['category=Toys&limit=4', 'category=Toys&limit=9', 'limit=9', 'limit=4'])
      expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
    expect(source.contradicted).toEqual(['total']);
  });

  it('of a count of its own, one too many, is 502 on every page once a page shows it', async () => {
    const source = openSource(
      'products',
      shopText({ total: '{ at: n, count: { path: /count } }' }),
      (asked) => (asked.path === '/count' ? replyOf({ n: 31 }) : rowsReply(windowOf(asked, rows))),
    );
    for (const raw of ['limit=10&page=4', 'limit=10'])
      expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
    expect(source.contradicted).toEqual(['total']);
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
