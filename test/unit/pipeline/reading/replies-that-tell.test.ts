import type { ModelRecord } from '../../../support/model/contract-model.ts';
import { openSource } from '../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';
import { codeOf, expectedBody, honest, products, rowsReply, shopText } from './shop.ts';

const rows = products(23);

describe('a total that cannot be read', () => {
  const without = honest(() => rows, false);

  it.each(['', 'limit=5', 'limit=5&page=3', 'limit=7&page=9'])(
    'is made up for by counting the rows, and reported: %j',
    async (query) => {
      const source = openSource('products', shopText(), without);
      expect(await source.list(query)).toBe(expectedBody('products', rows, query));
      expect(source.missingValues).toContain('total unreadable');
      expect(source.contradicted).toEqual([]);
    },
  );

  it('is made up for where a request of its own should tell it', async () => {
    const counted = shopText({ total: '{ at: n, count: { path: /count } }' });
    const source = openSource('products', counted, (asked) =>
      asked.path === '/count' ? replyOf({ n: 'many' }) : without(asked),
    );
    expect(await source.list('limit=5&page=2')).toBe(expectedBody('products', rows, 'limit=5&page=2'));
    expect(source.missingValues).toContain('total unreadable');
  });

  it.each(['', 'page=3'])('fails where there are no rows either: %j', async (query) => {
    const source = openSource('products', shopText(), () => rowsReply([]));
    expect(await codeOf(source.list(query))).toBe('upstream_invalid_response');
  });
});

describe('a source that says what it was asked for', () => {
  const window = '{ kind: page, sizes: [5, 10], echo: { page: number, size: size } }';
  const query = "{ page: '{page}', size: '{limit}' }";
  const shop = shopText({ window, query });
  const serve = (sizeMax: number, metadata: (page: number, size: number) => object) =>
    openSource('products', shop, ({ parameters }) => {
      const page = Number(parameters['page']);
      const size = Math.min(Number(parameters['size']), sizeMax);
      const part = rows.slice((page - 1) * size, page * size);
      const reply = rowsReply(part, rows.length).body.toString();
      return replyOf(`${JSON.stringify(metadata(page, size)).slice(0, -1)},${reply.slice(1)}`);
    });

  it.each<[string, (page: number, size: number) => object]>([
    ['as it was', (number, size) => ({ number, size })],
    ['in texts', (number, size) => ({ number: String(number), size: String(size) })],
    ['or nothing', () => ({ size: null })],
  ])('%s is believed', async (_name, metadata) => {
    expect(await serve(10, metadata).list('limit=10&page=2')).toBe(
      expectedBody('products', rows, 'limit=10&page=2'),
    );
  });

  it.each<[string, number, (page: number, size: number) => object]>([
    ['another size', 5, (number, size) => ({ number, size })],
    ['another page', 10, (_number, size) => ({ number: 1, size })],
    ['something else', 10, () => ({ size: {} })],
  ])('and says %s fails the answer', async (_name, sizeMax, metadata) => {
    expect(await codeOf(serve(sizeMax, metadata).list('limit=10&page=2'))).toBe('upstream_invalid_response');
  });
});

describe('rows that are no records', () => {
  const text = shopText().replace('items: rows', 'items: rows\n      dropWhen: [{ at: gone, equals: true }]');
  const gone = (first: number, last: number) => products(last).slice(first - 1);
  const serve = (windows: readonly (readonly [ModelRecord[], ModelRecord[]])[]) =>
    openSource('products', text, ({ parameters }) => {
      const [kept, dropped] = windows[Number(parameters['from']) / 10] ?? [[], []];
      const marked = rowsReply(dropped).body.toString().replaceAll('{"id"', '{"gone":true,"id"');
      const all = [rowsReply(kept).body.toString(), marked].map((reply) => /\[(.*)\]/.exec(reply)?.[1] ?? '');
      return replyOf(`{"hits":99,"rows":[${all.filter((one) => one !== '').join(',')}]}`);
    });

  it('are not counted, whatever the total says', async () => {
    const source = serve([
      [gone(1, 4), gone(5, 10)],
      [gone(11, 12), []],
      [[], []],
    ]);
    expect(await source.list()).toBe(expectedBody('products', [...gone(1, 4), ...gone(11, 12)]));
  });

  it('fail the answer where one comes twice: it stands in for a row that did not come', async () => {
    const twice = serve([
      [gone(1, 4), gone(5, 10)],
      [gone(11, 12), gone(10, 10)],
      [[], []],
    ]);
    expect(await codeOf(twice.list())).toBe('upstream_invalid_response');
  });
});
