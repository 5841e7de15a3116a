import type { ResourceName } from '../../reference.ts';
import type { Dialect } from '../serve.ts';
import { type Args, byId, type GraphqlRows, ITEMS, type Row, serveSchema, sorted } from './schema-server.ts';

/** Relay: connections that follow each other, with a filter of comparisons and a total. */
export function relay(all: GraphqlRows): Dialect {
  const connection = (rows: readonly Row[], { first, after }: Args) => {
    const start =
      after === undefined || after === null ? 0 : Number(Buffer.from(after as string, 'base64').toString());
    const size = Math.min(Number(first ?? 10), 50);
    const cursor = (n: number) => Buffer.from(String(n)).toString('base64');
    const edges = rows.slice(start, start + size).map((node, n) => ({ node, cursor: cursor(start + n + 1) }));
    const pageInfo = {
      hasNextPage: start + size < rows.length,
      hasPreviousPage: start > 0,
      endCursor: edges.at(-1)?.cursor ?? null,
    };
    return { edges, pageInfo, totalCount: rows.length };
  };
  const types = (type: string) => `
    type ${type}Edge { cursor: String! node: ${type} }
    type ${type}Connection { edges: [${type}Edge] pageInfo: PageInfo! totalCount: Int! }`;
  const args = 'first: Int, after: String, last: Int, before: String';
  return serveSchema(
    `${ITEMS} type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
    ${types('User')} ${types('Product')} input TextFilter { eq: String ne: String } input ProductFilter { category: TextFilter }
    type Query { node(id: ID!): User users(${args}): UserConnection! user(id: ID!): User
    products(${args}, filter: ProductFilter): ProductConnection! product(id: ID!): Product viewer: User }`,
    {
      users: (given: Args) => connection(all.users, given),
      user: byId(all.users),
      products: (given: Args) => {
        const { category } = (given['filter'] ?? {}) as { category?: { eq?: string } };
        const rows = all.products.filter(
          (row) => category?.eq === undefined || row['category'] === category.eq,
        );
        return connection(rows, given);
      },
      product: byId(all.products),
    },
  );
}

/** json-graphql-server: pages from 0, filters in which null is 0 as in JavaScript, the count a list of its own. */
export function jsonGraphqlServer(all: GraphqlRows): Dialect {
  const fields = (name: 'Users' | 'Products') => {
    const own = all[name.toLowerCase() as ResourceName];
    const found = ({ filter }: Args) =>
      own.filter((row) =>
        Object.entries((filter ?? {}) as Args).every(([key, value]) => {
          const [, column = key, op] = /^(.*)_(gte|lte)$/.exec(key) ?? [];
          const cell = row[column] as number;
          if (op === undefined) return String(cell) === String(value);
          return op === 'gte' ? cell >= (value as number) : cell <= (value as number);
        }),
      );
    return {
      [`all${name}`]: (args: Args) => {
        const { page, perPage, sortField, sortOrder } = args;
        const rows = found(args);
        const ordered =
          sortField === undefined || sortField === null
            ? rows
            : sorted(rows, sortField as string, sortOrder === 'desc');
        if (page === undefined && perPage === undefined) return ordered;
        const size = Number(perPage ?? 25);
        return ordered.slice(Number(page ?? 0) * size, (Number(page ?? 0) + 1) * size);
      },
      [`_all${name}Meta`]: (args: Args) => ({ count: found(args).length }),
      [name.slice(0, -1)]: byId(own),
    };
  };
  const query = (name: string) => {
    const list = `page: Int, perPage: Int, sortField: String, sortOrder: String, filter: ${name}Filter`;
    return `${name}(id: ID!): ${name} all${name}s(${list}): [${name}] _all${name}sMeta(${list}): ListMetadata`;
  };
  return serveSchema(
    `${ITEMS} type ListMetadata { count: Int! }
    input UserFilter { q: String ids: [ID] id: ID name: String email: String }
    input ProductFilter { q: String ids: [ID] id: ID name: String category: String category_neq: String price: Float price_gt: Float price_gte: Float price_lt: Float price_lte: Float }
    type Query { ${query('User')} ${query('Product')} }`,
    { ...fields('Users'), ...fields('Products') },
  );
}

/** A list with limit and offset, and nothing else. */
export function plainList(all: GraphqlRows, options: { readonly describes?: boolean } = {}): Dialect {
  const list = (rows: readonly Row[], { limit, offset }: Args) =>
    rows.slice(Number(offset ?? 0), Number(offset ?? 0) + Number(limit ?? rows.length));
  return serveSchema(
    `${ITEMS} type Query { users(limit: Int, offset: Int): [User!]! user(id: ID!): User
    products(limit: Int, offset: Int): [Product!]! }`,
    {
      users: (given: Args) => list(all.users, given),
      user: byId(all.users),
      products: (given: Args) => list(all.products, given),
    },
    options,
  );
}

/** Pages in a wrapper, with arguments that must be given, and filters as arguments of the list. */
export function argumentsOnly(all: GraphqlRows): Dialect {
  const paged = (rows: readonly Row[], { page, pageSize }: Args) => ({
    items: rows.slice((Number(page) - 1) * Number(pageSize), Number(page) * Number(pageSize)),
    total: rows.length,
  });
  return serveSchema(
    `${ITEMS} type UserPage { items: [User!]! total: Int! } type ProductPage { items: [Product!]! total: Int! }
    type Query { users(page: Int!, pageSize: Int!): UserPage! user(id: ID!): User
    products(page: Int!, pageSize: Int!, category: String, minPrice: Float, maxPrice: Float): ProductPage! }`,
    {
      users: (given: Args) => paged(all.users, given),
      user: byId(all.users),
      products: (given: Args) => {
        const { category, minPrice, maxPrice } = given as {
          category?: string;
          minPrice?: number;
          maxPrice?: number;
        };
        const rows = all.products.filter((row) => {
          const price = row['price'] as number | null;
          if (category !== undefined && row['category'] !== category) return false;
          if (minPrice !== undefined && (price === null || price < minPrice)) return false;
          return maxPrice === undefined || (price !== null && price <= maxPrice);
        });
        return paged(rows, given);
      },
    },
  );
}
