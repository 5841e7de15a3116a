import {
  type Answer,
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from './scripted-upstream.ts';
import { offsetList } from './offset-list-yaml.ts';

/** Users and products as a database gives them that fails, with a 500, at every value with odd characters. */
const users = ['ada', 'bob', 'cy'].map((id) => ({ id, name: `User ${id}`, made: '2026-01-02T03:04:05Z' }));
const products = ['Toys', 'Tools', 'Toys'].map((category, index) => ({
  ...{ id: `p${index}`, name: `Product ${index}`, price: 1 + index, category },
}));

const PLAIN = /^[\w-]*$/;
const FAILED = { status: 500, body: { error: 'invalid byte sequence' } };

/** How it answers a request. */
export function fragileAnswer({ path, query }: UpstreamRequest): Answer {
  if ([...query.values()].some((value) => !PLAIN.test(value))) return FAILED;
  const from = Number(query.get('from'));
  const rows = (all: readonly object[]) => ({
    body: { total: all.length, rows: all.slice(from, from + Number(query.get('count'))) },
  });
  if (path === '/users') return rows(users);
  if (path === '/products') {
    const category = query.get('category');
    return rows(category === null ? products : products.filter((one) => one.category === category));
  }
  const id = path.replace('/users/', '');
  if (!PLAIN.test(id)) return FAILED;
  const user = users.find((one) => one.id === id);
  return user === undefined ? { status: 404, body: { error: 'no_such_user' } } : { body: { user } };
}

/** The users that it knows. */
export const fragileUsers: readonly string[] = users.map(({ id }) => `user_${id}`);

/** Starts it on a free port. */
export function startFragileUpstream(): Promise<ScriptedUpstream> {
  return startUpstream(serving(fragileAnswer));
}

/** The file of the service; `net` is what stands in its `net` beside the address. */
export function fragileSource(name: string, baseUrl: string, net = ''): string {
  return `source: 1
name: ${name}
net: { baseUrl: '${baseUrl}', ${net} }
outcomes:
  - { status: 200, is: ok }
  - { on: get, status: 404, at: error, equals: no_such_user, is: not_found }
  - { status: 5xx, is: error }
resources:
  users:
    id: { kind: text }
    ${offsetList('/users')}
      map: { id: id, name: name, email: null, created_at: { from: made, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: user
      map:
        id: id
        name: name
        email: null
        created_at: { from: made, as: [iso8601] }
        profile.bio: null
        profile.location: null
        profile.avatar_url: null
  products:
    id: { kind: text }
    ${offsetList('/products')}
      filters:
        category: { eq: { query: { category: '{value}' }, exactness: exact } }
      map: { id: id, name: name, description: null, price: price, category: category }
`;
}
