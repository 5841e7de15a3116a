import { modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { openSource } from '../../support/pipeline/scripted-source.ts';
import { productsText, replyOf } from '../../support/pipeline/source-text.ts';

const price = (id: number, text: string | null): ModelRecord => ({
  id: `prod_${id}`,
  name: 'n',
  description: null,
  category: id % 2 === 0 ? 'Toys' : 'Books',
  price: text,
});
const records = [price(10, '5.00'), price(9, null), price(2, '10'), price(1, '10.00'), price(30, '10.01')];

/** A source that holds the records in this order, and can do nothing but give all of them. */
function open(rows: readonly object[] = records) {
  const native = rows.map((row) => ({
    ...row,
    id: 'id' in row ? String(row.id).replace('prod_', '') : undefined,
  }));
  const text = productsText()
    .replace(/window:.*/, 'window: { kind: none }')
    .replace(/, query: .* }/, ' }');
  return openSource('products', text, () => replyOf({ rows: native }));
}

const list = async (raw: string, source = open()) =>
  JSON.parse(await source.list(raw)) as { data: { id: string }[]; meta: object };
const ids = async (raw: string) => (await list(raw)).data.map(({ id }) => id);

describe('A page past the end', () => {
  it.each(['page=2', 'page=6&limit=1', 'page=1000000000&limit=100'])(
    '%s is 200 with no data, the true total and the page that was asked for',
    async (raw) => {
      const page = Number(/page=(\d+)/.exec(raw)![1]);
      expect(await list(raw)).toMatchObject({ data: [], meta: { total: 5, page } });
    },
  );
});

describe('No `sort`', () => {
  it('is by id, the same on every page', async () => {
    expect(await ids('')).toEqual(['prod_1', 'prod_2', 'prod_9', 'prod_10', 'prod_30']);
    expect([
      ...(await ids('limit=2')),
      ...(await ids('limit=2&page=2')),
      ...(await ids('limit=2&page=3')),
    ]).toEqual(await ids(''));
  });
});

describe('`min_price`, `max_price`: both bounds inclusive', () => {
  it.each([
    ['min_price=10', ['prod_1', 'prod_2', 'prod_30']],
    ['min_price=10.000', ['prod_1', 'prod_2', 'prod_30']],
    ['max_price=10', ['prod_1', 'prod_2', 'prod_10']],
    ['min_price=10&max_price=10', ['prod_1', 'prod_2']],
    ['min_price=10.001&max_price=11', ['prod_30']],
    ['min_price=0', ['prod_1', 'prod_2', 'prod_10', 'prod_30']],
    ['category=Toys&max_price=5', ['prod_10']],
    ['category=Books&min_price=0', ['prod_1']],
  ])('%s finds %j; a product whose price is unknown matches no bound', async (raw, expected) => {
    expect(await ids(raw)).toEqual(expected);
  });
});

describe('`category`', () => {
  it.each(['Nobody', 'toys', 'Toys%20', 'TOYS', 'Toy'])(
    '%s, which nobody has, is 200 with an empty page',
    async (label) => {
      expect(await list(`category=${label}`)).toEqual({ data: [], meta: { total: 0, page: 1, limit: 50 } });
    },
  );
});

describe('`meta.total`', () => {
  it.each(['', 'limit=1', 'page=9', 'category=Toys', 'min_price=6', 'category=Toys&min_price=6&limit=1'])(
    'is the number of records that match %j, not the number on the page',
    async (raw) => {
      const model = modelList('products', records, Object.fromEntries(new URLSearchParams(raw)));
      expect(await open().list(raw)).toBe(model.status === 200 ? modelBody('products', model) : '');
    },
  );
});

describe('Record without a usable id', () => {
  it.each([{}, { id: null }, { id: '' }, { id: 'x y' }, { id: -1 }])(
    '%j fails the page with 502',
    async (row) => {
      await expect(open([...records, row]).list()).rejects.toMatchObject({
        code: 'upstream_invalid_response',
        status: 502,
      });
    },
  );
});

describe("`id`: the prefix and the source's own id, its digits without leading zeros", () => {
  it('holds for numbers written in any width', async () => {
    const rows = [{ id: '0000000007' }, { id: '12' }, { id: '9007199254740993' }];
    expect((await list('', open(rows))).data.map(({ id }) => id)).toEqual([
      'prod_7',
      'prod_12',
      'prod_9007199254740993',
    ]);
  });
});
