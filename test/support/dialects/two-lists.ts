import type { Dialect } from './serve.ts';
import { notFound, whole } from './serve.ts';

/** The rows of both lists. `password` and `cost` are mapped to nothing. */
const LISTS: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  users: Array.from({ length: 27 }, (_, n) => ({
    id: n + 1,
    name: `Zoë ${String.fromCharCode(65 + (n % 26))}${n}`,
    email: `u${n}@example.com`,
    password: 'canary',
    created_at: new Date(Date.UTC(2020, n % 12, 1 + n)).toISOString(),
  })),
  products: Array.from({ length: 43 }, (_, n) => ({
    id: n + 1,
    title: `Thing ${n}`,
    description: `Text ${n}`,
    price: n * 1.5,
    category: ['Toys', 'Tools', 'Books'][n % 3],
    cost: 'canary',
  })),
};

/** A service with a list of users, with single views, and a list of products, which takes a category. */
export const twoLists: Dialect = ({ path, query }) => {
  const [, list = '', id] = /^\/api\/(users|products)(?:\/(\w+))?$/.exec(path) ?? [];
  const rows = LISTS[list];
  if (rows === undefined) return notFound;
  if (id !== undefined) {
    const row = list === 'users' ? rows.find((one) => String(one['id']) === id) : undefined;
    return row === undefined ? notFound : { body: row };
  }
  const category = query.get('category');
  const found = category === null ? rows : rows.filter((row) => row['category'] === category);
  const offset = whole(query, 'offset', 0);
  return {
    body: {
      total: found.length,
      items: found.slice(offset, offset + Math.min(20, whole(query, 'limit', 10))),
    },
  };
};
