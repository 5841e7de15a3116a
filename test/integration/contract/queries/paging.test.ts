import { startStack } from '../../../support/gateway/stack.ts';
import { fewProducts, fewUsers } from '../../../support/gateway/sample-services.ts';
import { decision } from '../decisions.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

type Page = {
  data: { id: string }[];
  meta: { total: number; page: number; limit: number };
};
type Refusal = { error: { code: string; message: string } };

const stack = startForAll(startStack);
const clamping = startForAll(() =>
  startStack({
    configure(config) {
      config.contract = { ...config.contract, limitOverflow: 'clamp' };
    },
  }),
);

async function refusal(path: string, from = stack): Promise<string> {
  const response = await from.get(path);
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as Refusal;
  expect(error.code).toBe('invalid_parameter');
  return error.message;
}

async function page(path: string, from = stack): Promise<Page> {
  const response = await from.get(path);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

const lists = ['/v1/users', '/v1/products'];
const noIntegers = [
  '',
  '0',
  '-1',
  '+1',
  '%2B1',
  '1.0',
  '1e2',
  '0x10',
  ' 1',
  '1%20',
  'ten',
  '１',
  '1,0',
  'null',
];

describe(decision('Integers'), () => {
  it.each(
    lists.flatMap((list) => ['page', 'limit'].flatMap((name) => noIntegers.map((v) => [list, name, v]))),
  )('%s?%s=%s is refused, and the message names the parameter', async (list, name, value) => {
    expect(await refusal(`${list}?${name}=${value}`)).toContain(`"${name}"`);
  });

  it.each(lists)('%s takes pages up to 1,000,000,000', async (list) => {
    expect((await page(`${list}?page=1000000000`)).meta.page).toBe(1_000_000_000);
    expect(await refusal(`${list}?page=1000000001`)).toContain('1000000000');
    await refusal(`${list}?page=${'9'.repeat(400)}`);
  });

  it('may have leading zeros', async () => {
    expect((await page('/v1/users?page=01&limit=0010')).meta).toMatchObject({ page: 1, limit: 10 });
  });

  it('are page 1 and limit 50 unless given', async () => {
    expect((await page('/v1/users')).meta).toEqual({ total: 40, page: 1, limit: 50 });
  });
});

describe(decision('`limit` above 100'), () => {
  it.each(lists)('%s refuses 101 and takes 100', async (list) => {
    await refusal(`${list}?limit=101`);
    expect((await page(`${list}?limit=100`)).meta.limit).toBe(100);
  });

  it.each(lists)('%s answers with 100 instead under limitOverflow: clamp', async (list) => {
    for (const limit of ['101', '100000', '9'.repeat(400)])
      expect((await page(`${list}?limit=${limit}`, clamping)).meta.limit).toBe(100);
    await refusal(`${list}?limit=0`, clamping);
    await refusal(`${list}?page=1000000001`, clamping);
  });
});

describe(decision('A page past the end'), () => {
  it.each(lists)('%s is an empty page with the true total', async (list) => {
    for (const query of ['page=2', 'page=41&limit=1', 'page=3&limit=20', 'page=1000000000&limit=100']) {
      const asked = new URLSearchParams(query);
      expect(await page(`${list}?${query}`)).toEqual({
        data: [],
        meta: { total: 40, page: Number(asked.get('page')), limit: Number(asked.get('limit') ?? 50) },
      });
    }
  });

  it('is empty also where the rows are scanned', async () => {
    const found = await page('/v1/products?min_price=0&page=9');
    expect(found.data).toEqual([]);
    const priced = fewProducts.filter(({ truth }) => truth.price !== null);
    expect(found.meta.total).toBe(priced.length);
  });
});

describe(decision('meta.total'), () => {
  it('counts what matches, not what is on the page', async () => {
    expect((await page('/v1/users?limit=3')).meta.total).toBe(fewUsers.length);
    const toys = fewProducts.filter(({ truth }) => truth.category === 'Toys');
    expect((await page('/v1/products?category=Toys&limit=1')).meta.total).toBe(toys.length);
  });
});

describe(decision('Repeated parameter'), () => {
  it.each(['page=1&page=1', 'limit=5&limit=6', 'sort=id&sort=name', 'limit=5&l%69mit=5'])(
    '/v1/users?%s is refused',
    async (query) => {
      expect(await refusal(`/v1/users?${query}`)).toMatch(/only once/);
    },
  );

  it.each(['category=a&category=b', 'min_price=1&min_price=1', 'max_price=1&max_price='])(
    '/v1/products?%s is refused',
    async (query) => {
      expect(await refusal(`/v1/products?${query}`)).toMatch(/only once/);
    },
  );

  it('with brackets is an unknown parameter', async () => {
    const { meta } = await page('/v1/users?limit[]=3&limit[x]=4&page%5B%5D=9&limit=7');
    expect(meta).toMatchObject({ page: 1, limit: 7 });
  });
});

describe(decision('Unknown parameter'), () => {
  it('is not part of a cache key, in whatever order and spelling the known ones come', async () => {
    const first = await stack.get('/v1/users?limit=11&page=2');
    const second = await stack.get('/v1/users?nonce=1&page=2&limit=11&name=x&PAGE=3');
    expect(first.headers.get('cache-status')).toBe('portico; fwd=miss');
    expect(second.headers.get('cache-status')).toBe('portico; hit');
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  it('is never sent upstream', async () => {
    const targets: string[] = [];
    stack.services.catalog.server.on('request', ({ url }) => targets.push(url ?? ''));
    await page('/v1/products?limit=13&start=5&debug=on&ord=LNAME');
    await page('/v1/products?limit=13&min_price=1&cat=TOY');
    expect(targets.length).toBeGreaterThan(0);
    for (const target of targets) expect(target).toMatch(/^\/catalogue\/items\?pg=\d+&ps=\d+$/);
  });
});
