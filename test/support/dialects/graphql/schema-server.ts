import { env } from 'node:process';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { ModelRecord } from '../../model/contract-model.ts';
import type { Dialect } from '../serve.ts';

// Outside production, the library looks at each value for a second copy of itself: most of the time of these tests.
env['NODE_ENV'] = 'production';
const { buildSchema, executeSync, GraphQLError, parse, validate } = await import('graphql');

/** One record. */
export type Row = Readonly<Record<string, unknown>>;
/** The arguments of a field. */
export type Args = Readonly<Record<string, unknown>>;

/** The records of a GraphQL service, in plain rows. */
export type GraphqlRows = { readonly users: readonly Row[]; readonly products: readonly Row[] };

const nativeId = ({ id }: ModelRecord) => Number(id.replace(/^\w+_/, ''));

/** Rows for records of the contract. Prices are numbers, and a field without a value is null. */
export function graphqlRows(users: readonly ModelRecord[], products: readonly ModelRecord[]): GraphqlRows {
  return {
    users: users.map((user) => ({
      ...{ id: nativeId(user), name: user['name'], email: user['email'], createdAt: user['created_at'] },
      ...{ password: 'canary', profile: { bio: null, location: 'Oslo', avatarUrl: null } },
    })),
    products: products.map((product) => ({
      ...{ id: nativeId(product), name: product['name'], description: product['description'] },
      ...{
        price: product['price'] === null ? null : Number(product['price']),
        category: product['category'],
      },
      supplierToken: 'canary',
    })),
  };
}

/** Reads and checks each query once: what asks these servers sends few of them, many times. */
function createDocuments(schema: GraphQLSchema) {
  const read = (query: string): DocumentNode | ExecutionResult => {
    try {
      const document = parse(query);
      const errors = validate(schema, document);
      return errors.length === 0 ? document : { errors };
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] };
      throw error;
    }
  };
  const known = new Map<string, DocumentNode | ExecutionResult>();
  return function documentOf(query: string): DocumentNode | ExecutionResult {
    const document = known.get(query) ?? read(query);
    known.set(query, document);
    return document;
  };
}

/** Serves a schema at /graphql by POST. A GET is refused as most servers do. */
export function serveSchema(
  text: string,
  root: Readonly<Record<string, unknown>>,
  { describes = true } = {},
): Dialect {
  const schema = buildSchema(text);
  const documentOf = createDocuments(schema);
  return ({ path, method, body }) => {
    if (path !== '/graphql') return { status: 404, body: { error: 'Not Found' } };
    if (method !== 'POST')
      return { status: 400, body: { errors: [{ message: 'Must provide query string.' }] } };
    const { query = '', variables } = JSON.parse(body) as { query?: string; variables?: Args };
    if (!describes && query.includes('__schema'))
      return { status: 400, body: { errors: [{ message: 'GraphQL introspection is not allowed' }] } };
    const document = documentOf(query);
    const result =
      'kind' in document
        ? executeSync({ schema, document, rootValue: root, variableValues: variables })
        : document;
    const isInvalid = result.data === undefined;
    return { status: isInvalid ? 400 : 200, body: JSON.parse(JSON.stringify(result)) as unknown };
  };
}

/** The types of the records. */
export const ITEMS = `
  type Profile { bio: String location: String avatarUrl: String }
  type User { id: ID! name: String email: String password: String createdAt: String profile: Profile }
  type Product { id: ID! name: String description: String price: Float category: String supplierToken: String }`;
/** The same types with whole numbers as ids. */
export const INT_ITEMS = ITEMS.replaceAll('id: ID!', 'id: Int!');

/** A resolver that finds one row by its id. */
export const byId =
  (rows: readonly Row[]) =>
  ({ id }: Args) =>
    rows.find((row) => String(row['id']) === String(id)) ?? null;

/** Compares two cells: numbers by value, all else as texts. */
export const compare = (a: unknown, b: unknown) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : Number(a !== b);

/** Rows in the order of a column. */
export const sorted = (rows: readonly Row[], column: string, isDown: boolean) => {
  const up = [...rows].sort((a, b) => compare(a[column], b[column]));
  return isDown ? up.reverse() : up;
};
