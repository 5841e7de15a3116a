import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
version: v2
title: Shop
pages: { default: 10 }
resources:
  orders: { singular: order, id: { prefix: ord }, fields: { number: { kind: text } } }
  parcels:
    singular: parcel
    id: { prefix: '' }
    fields: { order: { kind: reference, to: orders }, next: { kind: reference, to: parcels } }
    single: true
    sort: [id, next]
    filters: { next: { field: next, is: equal }, ids: { field: id, is: one_of } }
`;

const source = (baseUrl: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list: { request: { path: /orders }, window: { kind: none }, items: '', map: { id: id, number: no } }
  parcels:
    id: { kind: text }
    list: { request: { path: /parcels }, window: { kind: none }, items: '', map: { id: id, order: order, next: next } }
    get: { request: { path: '/parcels/{id}' }, item: '', map: { id: id, order: order, next: next } }
`;

/** Ids that look like numbers, like the id of another resource, and like paths. */
const PARCELS: Readonly<Record<string, string>> = {
  '10': '{"id":"10","order":1,"next":"9"}',
  '9': '{"id":"9","order":2,"next":"ord_1"}',
  ord_1: '{"id":"ord_1","order":3,"next":"10"}',
  '007': '{"id":"007","order":4,"next":"a/b"}',
  'a/b': '{"id":"a/b","order":5,"next":null}',
  '..%2f': '{"id":"..%2f","order":5,"next":"007"}',
};

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ path }) => {
      const [, id] = /^\/parcels(?:\/(.+))?$/.exec(path) ?? [];
      const all = `[${Object.values(PARCELS).join(',')}]`;
      const body = id === undefined ? all : PARCELS[decodeURIComponent(id)];
      return { status: body === undefined ? 404 : 200, body: body ?? '{}' };
    }),
  );
  const config = 'resources: { parcels: { source: shop, public: true, cache: { fresh: 1h } } }\n';
  const sources = { 'shop.yaml': source(upstream.origin) };
  gateway = await startGateway({ contract: CONTRACT, sources, config });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

type Body = { data: { id: string }[]; error?: { code: string } };

describe('a resource whose ids are those of the source', () => {
  const get = async (path: string) => {
    const answer = await fetch(`${gateway.url}/v2/parcels${path}`);
    return { status: answer.status, body: (await answer.json()) as Body };
  };
  const ids = async (query: string) => (await get(query)).body.data.map(({ id }) => id).join(' ');
  const one = (id: string, order: string, next: string | null) => ({
    status: 200,
    body: { data: { id, order, next } },
  });

  it('is listed by its own ids, numbers first and by number, and never by what follows a `_`', async () => {
    expect(await ids('?limit=10')).toBe('9 10 ..~252f 007 a~2fb ord_1');
    expect(await ids('?limit=10&sort=-id')).toBe('ord_1 a~2fb 007 ..~252f 10 9');
  });

  it('is sorted and found by references to itself', async () => {
    expect(await ids('?limit=10&sort=next')).toBe('10 ord_1 ..~252f 007 9 a~2fb');
    expect(await ids('?next=ord_1')).toBe('9');
    expect(await ids('?next=a~2fb')).toBe('007');
    expect(await ids('?ids=ord_1,9,nobody')).toBe('9 ord_1');
  });

  it('gives one record by the id as it stands in a list', async () => {
    expect(await get('/9')).toEqual(one('9', 'ord_2', 'ord_1'));
    expect(await get('/ord_1')).toEqual(one('ord_1', 'ord_3', '10'));
    expect(await get('/a~2fb')).toEqual(one('a~2fb', 'ord_5', null));
    expect(await get('/..~252f')).toEqual(one('..~252f', 'ord_5', '007'));
  });

  it.each(['/a%2Fb', '/a%2fb', '/%252e%252e', '/..%2fa', '/.%2f', '/a b', '/a:b', '/7', '/A~2fb', '/a~2Fb'])(
    'has no record of another spelling, and none by a path: %s',
    async (path) => expect((await get(path)).status).toBe(404),
  );

  it.each(['?next=..', '?next=.', '?ids=..', '?next=a/b', '?next='])('takes no such id: %s', async (query) =>
    expect((await get(query)).body.error?.code).toBe('invalid_parameter'),
  );

  it.each(['parcels:ord_1', 'parcels:a~2fb', 'parcels'])('is purged by %s', async (tag) => {
    const path = `/${tag.split(':')[1] ?? '10'}`;
    await get(path);
    const cached = async () => (await fetch(`${gateway.url}/v2/parcels${path}`)).headers.get('cache-status');
    expect(await cached()).toContain('hit');
    expect((await fetch(`${gateway.adminUrl}/api/cache/purge?tag=${tag}`, { method: 'POST' })).status).toBe(
      200,
    );
    expect(await cached()).toContain('fwd=miss');
  });
});
