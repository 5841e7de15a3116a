import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
title: Shop
resources:
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      number: { kind: text }
      tags: { kind: list, of: { kind: text }, max: 3 }
      lines: { kind: list, of: { sku: { kind: text }, quantity: { kind: integer }, price: { kind: decimal } } }
      related: { kind: list, of: { kind: reference, to: orders } }
    single: true
    sort: [number]
    filters:
      related: { field: related, is: has }
      tag: { field: tags, is: has }
      tagged: { field: tags, is: known }
`;

const FIELDS = `{ id: id, number: no, tags: { from: tags, each: { as: [trim] } }, lines: { from: body.lines, each: { map: { sku: no, quantity: n, price: p } } }, related: rel }`;

const source = (baseUrl: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list: { request: { path: /orders }, window: { kind: none }, items: '', map: ${FIELDS} }
    get: { request: { path: '/orders/{id}' }, item: '', map: ${FIELDS} }
`;

const ORDERS = [
  '{"id":1,"no":"N1","rel":[3,5],"tags":[" new","gift "],"body":{"lines":[{"no":"A","n":2,"p":9.90},{"no":"B","n":1.0,"p":null}]}}',
  '{"id":2,"no":"N2","tags":[],"body":{"lines":[{"no":"A","n":1.5,"p":1}]}}',
  '{"id":3,"no":"N3","tags":["a","b","c","d"],"body":{"lines":[]}}',
  '{"id":4,"no":"N4","tags":["gift",null],"body":{}}',
  '{"id":5,"no":"N5","tags":["gift"],"body":{"lines":"none"}}',
];

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ target }) => {
      const id = /^\/orders\/(\d+)$/.exec(target)?.[1];
      const body = id === undefined ? `[${ORDERS.join(',')}]` : ORDERS[Number(id) - 1];
      return { status: body === undefined ? 404 : 200, body: body ?? '{}' };
    }),
  );
  gateway = await startGateway({
    contract: CONTRACT,
    sources: { 'shop.yaml': source(upstream.origin) },
    config: `resources: { orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } } }\n`,
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const textOf = async (query: string) => (await fetch(`${gateway.url}/v1/orders${query}`)).text();

const WHOLE = [
  '{"id":"ord_1","number":"N1","tags":["new","gift"],"lines":[{"sku":"A","quantity":2,"price":9.90},{"sku":"B","quantity":1,"price":null}],"related":["ord_3","ord_5"]}',
  '{"id":"ord_2","number":"N2","tags":[],"lines":null,"related":null}',
  '{"id":"ord_3","number":"N3","tags":null,"lines":[],"related":null}',
  '{"id":"ord_4","number":"N4","tags":null,"lines":null,"related":null}',
  '{"id":"ord_5","number":"N5","tags":["gift"],"lines":null,"related":null}',
];

describe('a field that is a list', () => {
  it('is served in a list and singly; one unreadable element or one too many makes it null', async () => {
    expect(await textOf('')).toBe(`{"data":[${WHOLE.join(',')}],"meta":{"total":5,"page":1,"limit":50}}`);
    for (const [index, record] of WHOLE.entries())
      expect(await textOf(`/ord_${index + 1}`)).toBe(`{"data":${record}}`);
  });

  it('is served the same from the rows of a scan', async () => {
    expect(await textOf('?sort=-number&limit=2')).toBe(
      `{"data":[${WHOLE[4]},${WHOLE[3]}],"meta":{"total":5,"page":1,"limit":2}}`,
    );
  });

  it.each([
    ['tag=gift', [1, 5]],
    ['tag=Gift', []],
    ['tagged=false', [3, 4]],
    ['related=ord_5', [1]],
    ['related=ord_1', []],
  ])('is asked for an element, exactly: %s', async (query, wanted) => {
    const { data } = JSON.parse(await textOf(`?${query}`)) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(wanted.map((id) => `ord_${id}`));
  });

  it('is a list in the OpenAPI document', async () => {
    const document = (await (await fetch(`${gateway.url}/v1/openapi.json`)).json()) as {
      components: { schemas: Record<string, { properties: Record<string, unknown> }> };
    };
    expect(document.components.schemas.Order?.properties.tags).toEqual({
      ...{ type: ['array', 'null'], items: { type: 'string' }, maxItems: 3 },
    });
  });
});
