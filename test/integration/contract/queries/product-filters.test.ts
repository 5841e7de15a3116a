import type { SampleProduct } from '../../../../src/cli/demo/data/generate-products.ts';
import { startStack } from '../../../support/gateway/stack.ts';
import { decision } from '../decisions.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

/** A product as the legacy catalogue has it; `prc` in cents. */
function product(sku: string, prc: string | null, cc: string | null): SampleProduct {
  const legacy = { sku, nm: `No. ${sku}`, txt: null, prc, cc, buyPrc: '1', supplierKey: 'SUP' };
  return { truth: {}, legacy } as unknown as SampleProduct;
}

const products = [
  product('00000001', '0', 'TOY'),
  product('00000002', '5', 'TOY'),
  product('00000003', '1999', 'HOM'),
  product('00000004', '2000', 'SPO'),
  product('00000005', '1990', 'TOY'),
  product('00000006', null, 'TOY'),
  product('00000007', 'n/a', null),
  product('00000008', '900719925474099312', 'ELC'),
  product('00000009', '900719925474099313', 'ELC'),
  product('00000010', '12', 'ZZZ'),
];

const stack = startForAll(() => startStack({ products }));

async function found(query: string): Promise<number[]> {
  const response = await stack.get(`/v1/products?${query}`);
  expect(response.status).toBe(200);
  const { data, meta } = (await response.json()) as { data: { id: string }[]; meta: { total: number } };
  expect(meta.total).toBe(data.length);
  return data.map(({ id }) => Number(id.slice('prod_'.length)));
}

async function refusal(query: string): Promise<string> {
  const response = await stack.get(`/v1/products?${query}`);
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  expect(error.code).toBe('invalid_parameter');
  return error.message;
}

describe(decision('min_price, max_price'), () => {
  it.each([
    ['min_price=19.99', [3, 4, 8, 9]],
    ['max_price=19.99', [1, 2, 3, 5, 10]],
    ['min_price=19.99&max_price=19.99', [3]],
    ['min_price=19.9900&max_price=019.990', [3]],
    ['min_price=19.991&max_price=19.999', []],
    ['min_price=19.989999999999999999999&max_price=19.99', [3]],
    ['max_price=19.98999999999999999999999999999999999', [1, 2, 5, 10]],
    ['max_price=0', [1]],
    ['min_price=0', [1, 2, 3, 4, 5, 8, 9, 10]],
    ['min_price=9007199254740993.12', [8, 9]],
    ['min_price=9007199254740993.121', [9]],
    ['max_price=9007199254740993.12&min_price=20.01', [8]],
    [`min_price=${'9'.repeat(1_000)}`, []],
    ['category=Toys&min_price=0.05', [2, 5]],
    ['category=Toys&min_price=0.05&max_price=19.89', [2]],
    ['category=Home+%26+Garden&max_price=100', [3]],
  ])('%s', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it.each(
    ['min_price', 'max_price'].flatMap((name) =>
      ['', '-1', '%2B1', '+1', '1e2', '.5', '5.', '1,5', '0x1', 'ten', '1.2.3', '٣', 'NaN'].map((value) => [
        name,
        value,
      ]),
    ),
  )('%s=%s is refused, and the message names the parameter', async (name, value) => {
    expect(await refusal(`${name}=${value}`)).toContain(`"${name}"`);
  });

  it('refuses a minimum above the maximum, however small the difference', async () => {
    expect(await refusal('min_price=2&max_price=1.99')).toContain('"min_price"');
    await refusal('min_price=9007199254740993.1&max_price=9007199254740993.09');
  });
});

describe(decision('category'), () => {
  it.each([
    ['Toys', [1, 2, 5, 6]],
    ['Home%20%26%20Garden', [3]],
    ['Sports+%26+Outdoors', [4]],
    ['Electronics', [8, 9]],
    ['Clothing', []],
    ['toys', []],
    ['Toys%20', []],
    ['TOY', []],
    ['ZZZ', []],
    ['Nothing+of+the+kind', []],
    ['null', []],
  ])('category=%s', async (value, ids) => {
    expect(await found(`category=${value}`)).toEqual(ids);
  });

  it('refuses an empty one', async () => {
    expect(await refusal('category=')).toContain('"category"');
    expect(await refusal('category')).toContain('"category"');
  });
});
