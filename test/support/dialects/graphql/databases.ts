import type { ResourceName } from '../../reference.ts';
import type { Dialect } from '../serve.ts';
import {
  type Args,
  byId,
  compare,
  type GraphqlRows,
  INT_ITEMS,
  type Row,
  serveSchema,
  sorted,
} from './schema-server.ts';

/** Rows as a database gives them: in no order that anybody asked for. */
const shuffled = (rows: readonly Row[]) =>
  rows
    .map((row, index) => ({ row, rank: (index * 7919) % 104_729 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ row }) => row);

/** Hasura: limit and offset, trees of comparisons in which null matches nothing, a count beside the list. */
export function hasura(all: GraphqlRows): Dialect {
  type Comparison = Readonly<Record<'_eq' | '_gte' | '_lte', unknown>>;
  type Where = { readonly _and?: readonly Where[] } & Readonly<Record<string, Comparison>>;
  const fits = (row: Row, where: Where = {}): boolean =>
    Object.entries(where).every(([key, inner]) => {
      if (key === '_and') return (inner as unknown as readonly Where[]).every((one) => fits(row, one));
      const own = row[key];
      return Object.entries(inner).every(([op, value]) => {
        if (own === null) return false;
        if (op === '_eq') return own === value;
        return op === '_gte' ? compare(own, value) >= 0 : compare(own, value) <= 0;
      });
    });
  const fields = (name: ResourceName) => {
    const found = ({ where }: Args) => all[name].filter((row) => fits(row, where as Where | undefined));
    return {
      [name]: (args: Args) => {
        const [order] = [args['order_by'] ?? []].flat() as Readonly<Record<string, string>>[];
        const [column, direction = 'asc'] = Object.entries(order ?? {})[0] ?? [];
        const rows = found(args);
        const ordered = column === undefined ? shuffled(rows) : sorted(rows, column, direction === 'desc');
        const offset = Number(args['offset'] ?? 0);
        return ordered.slice(offset, offset + Number(args['limit'] ?? rows.length));
      },
      [`${name}_aggregate`]: (args: Args) => ({ aggregate: { count: found(args).length } }),
      [`${name}_by_pk`]: byId(all[name]),
    };
  };
  const types = (name: string, type: string, columns: string) => `
    input ${name}_bool_exp { _and: [${name}_bool_exp!] _or: [${name}_bool_exp!] id: int_comparison ${columns} }
    input ${name}_order_by { id: order_by name: order_by }
    type ${name}_aggregate { aggregate: ${name}_aggregate_fields nodes: [${type}!]! }
    type ${name}_aggregate_fields { count: Int! }`;
  const query = (name: string, type: string) => `
    ${name}(distinct_on: [String!], limit: Int, offset: Int, order_by: [${name}_order_by!], where: ${name}_bool_exp): [${type}!]!
    ${name}_aggregate(limit: Int, offset: Int, where: ${name}_bool_exp): ${name}_aggregate!
    ${name}_by_pk(id: Int!): ${type}`;
  return serveSchema(
    `${INT_ITEMS} enum order_by { asc asc_nulls_first desc desc_nulls_first }
    input int_comparison { _eq: Int _gt: Int _in: [Int!] } input float_comparison { _eq: Float _gt: Float _gte: Float _lt: Float _lte: Float }
    input text_comparison { _eq: String _ilike: String _in: [String!] }
    ${types('users', 'User', 'name: text_comparison email: text_comparison')}
    ${types('products', 'Product', 'category: text_comparison price: float_comparison')}
    type Query { ${query('users', 'User')} ${query('products', 'Product')} }`,
    { ...fields('users'), ...fields('products') },
  );
}

/** PostGraphile: connections with an offset, orders as words, conditions of equality. */
export function postgraphile(all: GraphqlRows): Dialect {
  const list = (rows: readonly Row[], { first, offset, orderBy, condition }: Args) => {
    const found = rows.filter((row) =>
      Object.entries((condition ?? {}) as Args).every(([key, value]) => row[key] === value),
    );
    const [word = 'PRIMARY_KEY_ASC'] = (orderBy ?? []) as string[];
    const [column = 'id'] = /^(?:primary_key|natural)/i.test(word) ? ['id'] : word.toLowerCase().split('_');
    const start = Number(offset ?? 0);
    const nodes = sorted(found, column, word.endsWith('DESC')).slice(
      start,
      start + Number(first ?? found.length),
    );
    return { nodes, edges: [], totalCount: found.length, pageInfo: { hasNextPage: false } };
  };
  const types = (type: string) => `
    type ${type}sConnection { nodes: [${type}]! edges: [${type}sEdge!]! pageInfo: PageInfo! totalCount: Int! }
    type ${type}sEdge { cursor: String node: ${type} }
    enum ${type}sOrderBy { NATURAL ID_ASC ID_DESC NAME_ASC NAME_DESC PRIMARY_KEY_ASC PRIMARY_KEY_DESC }`;
  const args = (type: string) =>
    `first: Int, last: Int, offset: Int, before: String, after: String, orderBy: [${type}sOrderBy!] = [PRIMARY_KEY_ASC], condition: ${type}Condition`;
  return serveSchema(
    `${INT_ITEMS} type PageInfo { hasNextPage: Boolean! } ${types('User')} ${types('Product')}
    input UserCondition { id: Int name: String } input ProductCondition { id: Int category: String }
    type Query { query: String nodeId: ID! allUsers(${args('User')}): UsersConnection allProducts(${args('Product')}): ProductsConnection
    userById(id: Int!): User productById(id: Int!): Product user(nodeId: ID!): User }`,
    {
      allUsers: (given: Args) => list(all.users, given),
      allProducts: (given: Args) => list(all.products, given),
      userById: byId(all.users),
      productById: byId(all.products),
    },
  );
}
