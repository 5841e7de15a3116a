import { openSource } from '../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';
import {
  codeOf,
  expectedBody,
  filtersOf,
  honest,
  product,
  products,
  rowsReply,
  shopText,
  windowOf,
} from './shop.ts';

const shop = honest(() => products(95));

describe('a page straight from the source', () => {
  it.each([
    ['limit=10&page=3', ['20+10']],
    ['limit=25&page=2', ['25+10', '35+10', '45+5']],
    ['limit=7&page=14', ['91+7']],
    ['limit=10&page=11', ['100+10']],
    ['limit=100', ['0+10', '10+10', '20+10', '30+10', '40+10', '50+10', '60+10', '70+10', '80+10', '90+10']],
  ])('%s is stitched of as few calls as will do', async (raw, expected) => {
    const source = openSource('products', shopText(), shop);
    expect(await source.list(raw)).toBe(expectedBody('products', products(95), raw));
    expect(source.calls.map(({ parameters }) => `${parameters['from']}+${parameters['n']}`)).toEqual(
      expected,
    );
  });

  it('is cut out of the pages of a source that counts in its own sizes', async () => {
    const text = shopText({
      window: '{ kind: page, base: 1, sizes: [20, 50] }',
      query: "{ p: '{page}', n: '{limit}' }",
    });
    const source = openSource('products', text, (asked) => {
      const [page, size] = [Number(asked.parameters['p']), Number(asked.parameters['n'])];
      return rowsReply(products(95).slice((page - 1) * size, page * size), 95);
    });
    expect(await source.list('limit=30&page=2')).toBe(
      expectedBody('products', products(95), 'limit=30&page=2'),
    );
    expect(source.calls.map(({ parameters }) => parameters)).toEqual([
      { p: '2', n: '20' },
      { p: '3', n: '20' },
    ]);
  });

  it('does not ask for windows that the total rules out', async () => {
    const source = openSource(
      'products',
      shopText(),
      honest(() => products(12)),
    );
    await source.list('limit=100');
    expect(source.calls).toHaveLength(2);
  });

  it.each([
    ['an empty page', honest(() => products(12))],
    [
      '404',
      (asked: Parameters<typeof shop>[0]) => {
        const rows = windowOf(asked, products(12));
        return rows.length > 0 ? rowsReply(rows, 12) : replyOf('', { status: 404 });
      },
    ],
  ])('past the end is empty, with the true total, where the source answers %s', async (_name, serve) => {
    const source = openSource('products', shopText(), serve);
    for (const raw of ['page=2&limit=50', 'page=9&limit=7', 'page=1000000000&limit=100'])
      expect(await source.list(raw)).toBe(expectedBody('products', products(12), raw));
  });

  it('of a list without rows is empty where the source answers 404', async () => {
    const source = openSource('products', shopText(), () => replyOf('', { status: 404 }));
    expect(await source.list()).toBe(expectedBody('products', []));
  });

  it('never asks a source for a row number that it may keep in 32 bits', async () => {
    const source = openSource('products', shopText(), shop);
    await source.list('page=1000000000&limit=100');
    for (const { parameters } of source.calls) expect(Number(parameters['from'])).toBeLessThan(2 ** 31);
  });

  it('is fresh for as long as the operator says, from the moment before the first call', async () => {
    const source = openSource('products', shopText(), (asked) => {
      source.clock.advance(400);
      return shop(asked);
    });
    const before = source.clock.now();
    const document = await source.fill({
      kind: 'list',
      resource: 'products',
      page: 1,
      limit: 20,
      sort: null,
      filters: [],
    });
    expect(document).toMatchObject({ storedAt: before, freshSeconds: 10 });
  });
});

describe('an answer that cannot be right is 502, never a page', () => {
  it.each<[string, Parameters<typeof openSource>[2]]>([
    ['more rows than were asked for', () => rowsReply(products(11), 11)],
    ['a row without an id', () => replyOf('{"hits":1,"rows":[{"name":"x"}]}')],
    ['a total that is smaller than what came', () => rowsReply(products(5), 3)],
    ['a total that is larger than what came', () => rowsReply(products(5), 9)],
    ['no total', () => replyOf('{"rows":[]}')],
    ['an error page', () => replyOf('<html>', { headers: { 'content-type': 'text/html' } })],
  ])('%s', async (_name, serve) => {
    expect(await codeOf(openSource('products', shopText(), serve).list())).toBe('upstream_invalid_response');
  });

  it('an id that the contract cannot carry', async () => {
    const text = shopText().replace('kind: number', 'kind: text');
    const serve = () => replyOf(`{"hits":1,"rows":[{"id":"${'x'.repeat(130)}"}]}`);
    expect(await codeOf(openSource('products', text, serve).list())).toBe('upstream_invalid_response');
  });

  it('a failure in any one of its windows', async () => {
    const source = openSource('products', shopText(), (asked) =>
      asked.parameters['from'] === '20' ? replyOf('', { status: 503 }) : shop(asked),
    );
    expect(await codeOf(source.list('limit=50'))).toBe('upstream_error');
  });
});

describe('a question that no record can match', () => {
  it('is answered without asking the source', async () => {
    const text = shopText({ filters: filtersOf('exact') }).replace(
      'category: category',
      'category: { from: category, as: [{ enum: { T: Toys } }] }',
    );
    const source = openSource('products', text, shop);
    expect(await source.list('category=Nobody')).toBe(expectedBody('products', [], 'category=Nobody'));
    expect(source.calls).toEqual([]);
  });
});

describe('a row that is left out', () => {
  it('is counted, and the total counts what is left', async () => {
    const text = shopText({ onInvalidRecord: 'drop' });
    const source = openSource('products', text, () =>
      replyOf(`{"hits":3,"rows":[{"id":2,"name":"b"},{"id":"?"},{"id":1,"name":"a"}]}`),
    );
    const records = [
      product(1, { name: 'a', price: null, category: null }),
      product(2, { name: 'b', price: null, category: null }),
    ];
    expect(await source.list()).toBe(expectedBody('products', records));
    expect(source.missingValues.filter((gap) => gap.startsWith('id'))).toEqual(['id unreadable']);
  });
});
