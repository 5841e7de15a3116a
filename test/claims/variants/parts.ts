import { notFound, whole } from '../../support/dialects/serve.ts';
import type { ModelRecord } from '../../support/model/contract-model.ts';
import type { HttpReply, UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';

/** A row as a service keeps it. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: number };

/** So many users without a tie, in the order of their ids. */
export const usersOf = (count: number, own: (n: number) => object = () => ({})): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ id: n + 1, name: `Person ${String((n * 37) % 1_009).padStart(4, '0')}` },
    email: `p${String((n * 61) % 1_009).padStart(4, '0')}@mail.example`,
    created_at: new Date(Date.UTC(2024, 2, 1, 0, (n * 53) % 1_009)).toISOString().replace('.000', ''),
    ...own(n),
  }));

/** So many products. */
export const productsOf = (count: number, own: (n: number) => object = () => ({})): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ id: n + 1, name: `Thing ${n}`, description: `Text ${n}`, price: n + 0.5 },
    ...{ category: ['Tools', 'Toys', 'Garden'][n % 3], ...own(n) },
  }));

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? `${value}` : null);

/** What v1 has of a row. */
export function userOf({ id, ...row }: Row): ModelRecord {
  const [name, email, at] = [row['name'], row['email'], row['created_at']].map(text);
  return { id: `user_${id}`, name: name!, email: email!, created_at: at! };
}
export function productOf({ id, ...row }: Row): ModelRecord {
  const [name, description, price, category] = ['name', 'description', 'price', 'category'].map((key) =>
    text(row[key]),
  );
  return { id: `prod_${id}`, name: name!, description: description!, price: price!, category: category! };
}

/** The rows of a page by offset and limit. */
export const slice = (rows: readonly Row[], { query }: UpstreamRequest, sizeMax = 100): readonly Row[] => {
  const first = whole(query, 'offset', 0);
  return rows.slice(first, first + Math.min(sizeMax, whole(query, 'limit', sizeMax)));
};

/** The reply to a question for one record; `undefined` for other questions. */
export function single(rows: readonly Row[], { path }: UpstreamRequest): HttpReply | undefined {
  const id = /^\/users\/([^/]+)$/.exec(path)?.[1];
  if (id === undefined) return undefined;
  const found = rows.find((row) => String(row.id) === id);
  return found === undefined ? notFound : { body: found };
}

/** Keys in order, unknown ones last. */
export function byKey(field: string, sign: number, tie: (a: Row, b: Row) => number) {
  return (a: Row, b: Row): number => {
    const [left, right] = [text(a[field]), text(b[field])];
    if (left === right) return tie(a, b);
    if (left === null || right === null) return left === null ? 1 : -1;
    return sign * (left < right ? -1 : 1);
  };
}

const USER_MAP = 'id: id, name: name, email: email, created_at: { from: created_at, as: [iso8601] }';
const VIEW = 'profile.bio: null, profile.location: null, profile.avatar_url: null';

/** The parts of a source file that are not the usual ones. */
export type Parts = Readonly<Record<'list', string>> &
  Partial<Readonly<Record<'head' | 'query' | 'items' | 'map' | 'item' | 'get', string>>>;

const OUTCOMES = 'outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]';

/** A source file for users. */
export const usersFile =
  ({ head = '', list, query = "offset: '{offset}', limit: '{limit}'", items = 'items', ...more }: Parts) =>
  (origin: string): string => `source: 1
name: draft
net: { baseUrl: ${origin} }
${head}
${OUTCOMES}
resources:
  users:
    id: { kind: number }
    list: { request: { path: /users, query: { ${query} } }, ${list}, items: ${items}, map: { ${more.map ?? USER_MAP} } }
    get: { request: { path: '/users/{id}' }, item: ${more.item ?? "''"}, map: { ${more.get ?? USER_MAP}, ${VIEW} } }
`;

/** A source file for products. */
export const productsFile =
  ({ list, query = "offset: '{offset}', limit: '{limit}'", items = 'items', map }: Parts) =>
  (origin: string): string => `source: 1
name: draft
net: { baseUrl: ${origin} }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list: { request: { path: /products, query: { ${query} } }, ${list}, items: ${items}, map: { ${map ?? 'id: id, name: name, description: description, price: price, category: category'} } }
`;
