import { fewProducts, fewUsers } from '../../../support/gateway/sample-services.ts';
import { copyConfig } from '../../../support/gateway/config-copy.ts';
import { startStack } from '../../../support/gateway/stack.ts';
import { decision } from '../decisions.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

const stack = startForAll(startStack);

describe(decision('Missing or unreadable optional field'), () => {
  it('is null in a list, and its key is there', async () => {
    const { data } = (await (await stack.get('/v1/users')).json()) as { data: object[] };
    const truths = fewUsers.map(({ truth: { profile: _profile, ...item } }) => item);
    expect(data).toEqual(truths);
    expect(truths.some(({ email }) => email === null)).toBe(true);
    expect(truths.some(({ name }) => name === null)).toBe(true);
    for (const item of data) expect(Object.keys(item)).toEqual(['id', 'name', 'email', 'created_at']);
  });

  it('is null on the single view, whose profile is always an object', async () => {
    const empty = fewUsers.filter(
      ({ truth: { profile } }) => profile.bio === null || profile.location === null,
    );
    expect(empty.length).toBeGreaterThan(3);
    for (const { truth } of empty)
      expect(await (await stack.get(`/v1/users/${truth.id}`)).json()).toEqual({ data: truth });
  });

  it('is counted for the operator where it is there and cannot be read', async () => {
    const unknown = fewProducts.filter(({ legacy }) => legacy.cc === 'ZZZ' || legacy.cc === 'OLD');
    expect(unknown.length).toBeGreaterThan(0);
    await stack.get('/v1/products?limit=100');
    const count = await stack.counted('portico_unreadable_fields_total', 'field="products.category"');
    expect(count).toBeGreaterThanOrEqual(unknown.length);
  });
});

describe(decision('Record without a usable id'), () => {
  const products = fewProducts.slice(0, 5).map((product, at) => ({
    ...product,
    legacy: { ...product.legacy, sku: at === 2 ? 'none' : product.legacy.sku },
  }));

  it('fails the page with 502', async () => {
    const other = await startStack({ products });
    const response = await other.get('/v1/products');
    await other.close();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_invalid_response' } });
  });

  it('is left out and counted under onInvalidRecord: drop', async () => {
    const config = copyConfig();
    config.edit(
      'sources/catalog.yaml',
      'id: { kind: number }',
      'id: { kind: number }\n    onInvalidRecord: drop',
    );
    const other = await startStack({ products, configFile: config.file });
    const response = await other.get('/v1/products');
    const dropped = await other.counted('portico_unreadable_fields_total', 'field="products.id"');
    await other.close();
    config.remove();
    const { data, meta } = (await response.json()) as { data: { id: string }[]; meta: object };
    expect(data.map(({ id }) => id)).toEqual(
      fewProducts.slice(0, 5).flatMap(({ truth }, at) => (at === 2 ? [] : [truth.id])),
    );
    expect(meta).toMatchObject({ total: 4 });
    expect(dropped).toBe(1);
  });
});

describe(decision('price'), () => {
  it('has the digits of the source, as a bare number', async () => {
    const body = await (await stack.get('/v1/products?limit=100')).text();
    const prices = [...body.matchAll(/"price":([^,]*),/g)].map((match) => match[1]);
    expect(prices).toEqual(fewProducts.map(({ truth }) => truth.price ?? 'null'));
    expect(prices).toEqual(expect.arrayContaining(['0.00', '0.05', '0.50', '9007199254740993.12']));
    expect(prices.some((price) => price?.endsWith('0') === true && price.includes('.'))).toBe(true);
  });
});

describe(decision('created_at'), () => {
  it('is an instant in UTC, whole seconds without a fraction', async () => {
    const { data } = (await (await stack.get('/v1/users')).json()) as {
      data: { created_at: string | null }[];
    };
    const known = data.flatMap(({ created_at }) => (created_at === null ? [] : [created_at]));
    expect(known.length).toBeGreaterThan(30);
    for (const text of known) {
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(new Date(text).toISOString()).toBe(text.replace('Z', '.000Z'));
    }
  });
});
