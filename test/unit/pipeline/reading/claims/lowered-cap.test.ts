import { type Asked, openSource, type Serve } from '../../../../support/pipeline/scripted-source.ts';
import { codeOf, expectedBody, honest, products, rowsReply, shopText, windowOf } from '../shop.ts';

const OFFSETS = shopText();
const PAGES = shopText({
  window: '{ kind: page, base: 0, sizes: { upTo: 10 } }',
  query: "{ page: '{page}', n: '{limit}' }",
});
const LISTED = shopText({
  window: '{ kind: page, base: 0, sizes: [3, 10] }',
  query: "{ page: '{page}', n: '{limit}' }",
});

/** A shop that gives at most so many rows at once, whatever it is asked for; pages are of that size, too. */
const capped =
  (count: number, cap: () => number, withTotal = true): Serve =>
  (asked: Asked) => {
    const n = String(Math.min(cap(), Number(asked.parameters['n'])));
    return honest(() => products(count), withTotal)({ ...asked, parameters: { ...asked.parameters, n } });
  };

/** Queries for all pages in several sizes. */
const queriesOf = (count: number) =>
  [10, 7, 5, 100].flatMap((limit) =>
    Array.from({ length: Math.ceil(count / limit) + 1 }, (_, page) => `limit=${limit}&page=${page + 1}`),
  );

describe('a source that gives fewer rows at once than its file says', () => {
  it.each<[string, string, number, number]>([
    ['offsets', OFFSETS, 32, 5],
    ['offsets, and the last page is as long as its windows', OFFSETS, 25, 5],
    ['offsets, and windows of one row', OFFSETS, 13, 1],
    ['pages', PAGES, 32, 5],
    ['pages, and the last page is as long as its windows', PAGES, 25, 5],
    ['pages of another size than half', PAGES, 33, 4],
    ['pages whose sizes are listed', LISTED, 32, 5],
  ])('is read in smaller windows by %s', async (_how, text, count, cap) => {
    let rows = 10;
    const source = openSource(
      'products',
      text,
      capped(count, () => rows),
    );
    for (const raw of queriesOf(count))
      expect(await source.list(raw)).toBe(expectedBody('products', products(count), raw));
    rows = cap;
    const other = openSource(
      'products',
      text,
      capped(count, () => cap),
    );
    for (const one of [source, other])
      for (const raw of queriesOf(count).reverse())
        expect(await one.list(raw)).toBe(expectedBody('products', products(count), raw));
    expect([...source.contradicted, ...other.contradicted]).toEqual([]);
  });

  it('costs no more calls once that is known than the smaller windows take', async () => {
    const source = openSource(
      'products',
      OFFSETS,
      capped(32, () => 5),
    );
    await source.list('limit=10');
    const before = source.calls.length;
    await source.list('limit=10&page=2');
    expect(source.calls.length - before).toBe(2);
  });

  it('is counted in smaller windows without a total', async () => {
    const source = openSource(
      'products',
      shopText({ total: '' }),
      capped(32, () => 5, false),
    );
    expect(await source.list('limit=10')).toBe(expectedBody('products', products(32), 'limit=10'));
  });

  it.each<[string, string, Serve]>([
    [
      'a row is missing between others',
      OFFSETS,
      (asked) => rowsReply(windowOf(asked, products(32)).toSpliced(1, 1), 32),
    ],
    ['no size is so small', LISTED, capped(32, () => 2)],
  ])('is not taken for one where %s', async (_why, text, serve) => {
    const source = openSource('products', text, serve);
    expect(await codeOf(source.list('limit=10'))).toBe('upstream_invalid_response');
  });
});
