import { startStack } from '../../../support/gateway/stack.ts';
import { fewProducts, fewUsers } from '../../../support/gateway/sample-services.ts';
import { copyConfig } from '../../../support/gateway/config-copy.ts';
import { decision } from '../decisions.ts';
import { endAfterTest, startForAll } from '../../../support/jest/lifetime.ts';

const stack = startForAll(startStack);

async function outcome(path: string): Promise<[status: number, code: string | undefined, calls: number]> {
  const before = stack.services.users.requests;
  const response = await stack.get(path);
  const { error } = (await response.json()) as { error?: { code: string } };
  return [response.status, error?.code, stack.services.users.requests - before];
}

describe(decision('`id` in the path'), () => {
  it.each([
    'user_',
    'user',
    'prod_3',
    'USER_3',
    '3',
    'user_3x',
    'user_03',
    'user_-3',
    'user_+3',
    'user_3.0',
    'user_%00',
    'user_3%0a',
    'user_3%0d%0aX-Injected:%201',
    'user_3%20',
    'user_%33%2533',
    '..%2fproducts',
    '%2e%2e',
    'user_3%2f..',
    'user_%E2%80%AE3',
    'user_3%3Fx=1',
    '__proto__',
    'constructor',
    `user_${'9'.repeat(124)}`,
    `user_${'a'.repeat(2_000)}`,
  ])('/v1/users/%s is 404, and no upstream is asked', async (id) => {
    expect(await outcome(`/v1/users/${id}`)).toEqual([404, 'not_found', 0]);
  });

  it('is decoded once', async () => {
    expect((await outcome('/v1/users/%75ser%5F3'))[0]).toBe(200);
    expect((await outcome('/v1/users/%2575ser_3'))[0]).toBe(404);
  });

  it('may have 128 characters', async () => {
    expect(await outcome(`/v1/users/user_${'9'.repeat(123)}`)).toEqual([404, 'not_found', 1]);
  });

  it.each(['%', '%zz', '%ff', '%c0%ae', 'user_3%', 'user_%e2%82'])(
    '/v1/users/%s is malformed: 400',
    async (id) => {
      expect(await outcome(`/v1/users/${id}`)).toEqual([400, 'bad_request', 0]);
    },
  );
});

describe(decision('id'), () => {
  it('has the digits of the source, all of them and no zeros before them', async () => {
    const users = await (await stack.get('/v1/users?sort=-id&limit=3')).text();
    expect(users.match(/"id":"[^"]*"/g)).toEqual([
      '"id":"user_9007199254740996"',
      '"id":"user_9007199254740995"',
      '"id":"user_9007199254740993"',
    ]);
    const products = await (await stack.get('/v1/products?limit=100')).text();
    expect(products).toContain('"id":"prod_9007199254740993"');
    expect(products).not.toMatch(/"id":"prod_0/);
  });

  it.each(fewUsers.slice(-5).map(({ truth }) => truth.id))('%s of a list leads to its record', async (id) => {
    const response = await stack.get(`/v1/users/${id}`);
    expect(await response.json()).toEqual({ data: fewUsers.find(({ truth }) => truth.id === id)?.truth });
  });

  it('is the text of the source, escaped so that it is one segment, where it has no number', async () => {
    const config = endAfterTest(copyConfig());
    config.edit('sources/catalog.yaml', 'id: { kind: number }', 'id: { kind: text }');
    const [first] = fewProducts;
    const products = ['A/7 ü', '~', '00012'].map((sku) => ({ ...first!, legacy: { ...first!.legacy, sku } }));
    const other = endAfterTest(await startStack({ configFile: config.file, products }));
    const { data } = (await (await other.get('/v1/products')).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['prod_00012', 'prod_A~2f7~20~c3~bc', 'prod_~7e']);
  });
});
