import { compareIds, compareTexts } from '../support/model/contract-model.ts';
import { createClient } from '../support/client/contract-client.ts';
import { startDemo } from '../support/gateway/gateway-process.ts';
import { startForAll } from '../support/jest/lifetime.ts';

type User = { id: string; name: string | null; email: string | null; created_at: string | null };
type Product = { id: string; price: number | null; category: string | null };

const demo = startForAll(startDemo);
const client = startForAll(() => createClient(demo.url, demo.key));
afterAll(() => demo.process.kill());

/** The places at which neighbours are in the wrong order. */
function disorder<T extends { id: string }>(
  records: readonly T[],
  compare: (a: T, b: T) => number,
): string[] {
  return records.slice(1).flatMap((record, at) => {
    const before = records[at]!;
    return compare(before, record) < 0 ? [] : [`${before.id} before ${record.id}`];
  });
}

function byField(field: keyof User, descending: boolean) {
  const compare = field === 'id' ? compareIds : compareTexts;
  return (a: User, b: User) => {
    const [left, right] = [a[field], b[field]];
    if (left === null || right === null)
      return left === right ? compareIds(a.id, b.id) : left === null ? 1 : -1;
    return (descending ? -1 : 1) * compare(left, right) || compareIds(a.id, b.id);
  };
}

describe('a walk over the running demo', () => {
  it.each([100, 50, 33])('finds every user and product once, in order, on pages of %d', async (limit) => {
    const users = await client.walk<User>('/v1/users', limit);
    expect(users).toHaveLength(5_000);
    expect(disorder(users, (a, b) => compareIds(a.id, b.id))).toEqual([]);
    const products = await client.walk<Product>('/v1/products', limit);
    expect(products).toHaveLength(2_000);
    expect(disorder(products, (a, b) => compareIds(a.id, b.id))).toEqual([]);
  });

  it.each((['id', 'name', 'email', 'created_at'] as const).flatMap((field) => [field, `-${field}` as const]))(
    'finds every user once, in the order of sort=%s',
    async (sort) => {
      const users = await client.walk<User>(`/v1/users?sort=${sort}`, 100);
      expect(users).toHaveLength(5_000);
      const field = sort.replace('-', '') as keyof User;
      expect(disorder(users, byField(field, sort.startsWith('-')))).toEqual([]);
    },
  );

  it('finds by each category what the whole list has of it', async () => {
    const all = await client.walk<Product>('/v1/products', 100);
    const categories = [...new Set(all.flatMap(({ category }) => category ?? []))];
    expect(categories.length).toBeGreaterThanOrEqual(8);
    for (const category of categories) {
      const found = await client.walk<Product>(`/v1/products?category=${encodeURIComponent(category)}`, 100);
      expect(found).toEqual(all.filter((product) => product.category === category));
    }
  });

  it.each([
    { min_price: '0', max_price: '0.05' },
    { min_price: '0.5', max_price: '0.50' },
    { min_price: '19.99', max_price: '20' },
    { max_price: '129.00' },
    { min_price: '4999.9' },
    { category: 'Home & Garden', min_price: '9.99' },
  ])('finds by %p what the whole list has between the bounds, themselves included', async (query) => {
    const { min_price: low = '0', max_price: high = '1e18', category } = query as Record<string, string>;
    const parameters = new URLSearchParams(query as Record<string, string>).toString();
    const found = await client.walk<Product>(`/v1/products?${parameters}`, 100);
    const matching = (await client.walk<Product>('/v1/products', 100)).filter(
      (product) =>
        product.price !== null &&
        product.price >= Number(low) &&
        product.price <= Number(high) &&
        (category === undefined || product.category === category),
    );
    expect(found).toEqual(matching);
    expect(found.length).toBeGreaterThan(0);
  });

  it('finds each user of a page by its id, with a profile', async () => {
    for (const user of (await client.walk<User>('/v1/users?sort=-created_at', 100)).slice(0, 50)) {
      const response = await client.get(`/v1/users/${user.id}`);
      const { data } = (await response.json()) as { data: User & { profile: object } };
      expect(data).toEqual({ ...user, profile: data.profile });
    }
  });
});
