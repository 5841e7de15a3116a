import { startSourceGateway } from '../../support/gateway/start-gateway.ts';
import { eventually } from '../../support/time/eventually.ts';
import {
  type HttpReply,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const sourceText = (origin: string) => `
source: 1
name: shop
net: { baseUrl: '${origin}', timeout: 60s, retries: { max: 0 } }
budget: { snapshot: 0s }
outcomes: [{ status: 404, on: get, is: not_found }, { status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 100 }
      total: { at: hits }
      items: rows
      order: id
      orderIs: documented
      map: { id: id, name: n, email: null, created_at: null }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: id, name: n, email: null, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
  products:
    id: { kind: number }
    list:
      request: { path: /items, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 100 }
      total: { count: { path: /items/count }, at: hits }
      items: rows
      order: id
      orderIs: documented
      hydrate: { request: { path: '/items/{id}' }, item: '', map: { id: id, description: text } }
      map: { id: id, name: n, price: null, category: null }
`;

const rows = (name: string) => [1, 2].map((id) => ({ id, n: name }));
/** A source with two records; the single user 8 is another one. */
function answer({ path, id }: UpstreamRequest): HttpReply {
  if (path === '/items/count') return { body: { hits: 2 } };
  if (Number.isNaN(id)) return { body: { hits: 2, rows: rows('n') } };
  if (id > 8) return { status: 404, body: {} };
  return { body: { id: id === 8 ? 1 : id, n: 'n', text: 't' } };
}

const upstream = startForAll(startUpstream);
const gateway = startForAll(() => startSourceGateway(sourceText(upstream.origin)));

/** The paths that the gateway has asked for since `become`, each once. */
const pathsAsked = () => [...new Set(upstream.requests.map(({ path }) => path))].sort();
const counted = () => gateway.counted('portico_upstream_replies_total', 'source="shop"');

describe('every reply of a source is counted once', () => {
  it.each<[string, string, number, readonly string[]]>([
    ['a page', '/v1/users', 200, ['/users']],
    ['all rows, which are sorted here', '/v1/users?sort=name', 200, ['/users']],
    ['a count, and what rows lack', '/v1/products', 200, ['/items', '/items/1', '/items/2', '/items/count']],
    ['a single record', '/v1/users/user_1', 200, ['/users/1']],
    ['a single record that is not there', '/v1/users/user_9', 404, ['/users/9']],
    [
      'a record that nobody asked for, whose id is looked at again, and one that is in the list',
      '/v1/users/user_8',
      404,
      ['/users', '/users/2', '/users/8'],
    ],
  ])('%s', async (_what, path, status, paths) => {
    upstream.become(serving(answer));
    expect((await gateway.get(path)).status).toBe(status);
    expect(pathsAsked()).toEqual(paths);
    await eventually(async () => (await counted()) === upstream.calls);
  });

  it('a large list, which a thread reads', async () => {
    upstream.become(serving(() => ({ body: { hits: 2, rows: rows('n'.repeat(100_000)) } })));
    expect((await gateway.get('/v1/users')).status).toBe(200);
    expect(pathsAsked()).toEqual(['/users']);
    await eventually(async () => (await counted()) === upstream.calls);
  });
});
