import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const contract = (number: string) => `contract: 1
title: Shop
resources:
  customers:
    singular: customer
    id: { prefix: cus }
    fields: { name: { kind: text } }
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      number: ${number}
      total: { kind: decimal }
      note: { kind: text }
      customer: { kind: reference, to: customers }
    single: { shipped: { by: { kind: text } } }
    sort: [number, note]
    filters:
      noted: { field: note, is: known }
      note: { field: note, is: equal }
`;

const source = (baseUrl: string, number: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list:
      request: { path: /orders }
      window: { kind: none }
      items: ''
      map: { id: id, ${number}total: sum }
    get: { request: { path: '/orders/{id}' }, item: '', map: { id: id, ${number}total: sum } }
`;

let upstream: ScriptedUpstream;
const gateways: SourceGateway[] = [];
const start = async (field: string, number: string) => {
  const gateway = await startGateway({
    contract: contract(field),
    sources: { 'shop.yaml': source(upstream.origin, number) },
    config: 'resources: { orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } } }\n',
  });
  gateways.push(gateway);
  return gateway.url;
};
const ORDERS = ['{"id":1,"no":"B","sum":1.50,"note":"x"}', '{"id":2,"no":"A","sum":2}'];

beforeAll(async () => {
  upstream = await startUpstream(serving(({ id }) => ({ body: ORDERS[id - 1] ?? `[${ORDERS.join(',')}]` })));
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await upstream.close();
});

describe('a field of the contract that a source does not name', () => {
  const bodyOf = async (url: string) =>
    JSON.stringify(((await (await fetch(url)).json()) as { data: unknown }).data);

  it('is null in lists and in single records, whatever the source has under its name', async () => {
    const url = await start('{ kind: text }', 'number: no, ');
    const first = '{"id":"ord_1","number":"B","total":1.5,"note":null,"customer":null';
    expect(await bodyOf(`${url}/v1/orders`)).toBe(
      `[${first}},{"id":"ord_2","number":"A","total":2,"note":null,"customer":null}]`,
    );
    expect(await bodyOf(`${url}/v1/orders?sort=number`)).toMatch(/^\[{"id":"ord_2",/);
    expect(await bodyOf(`${url}/v1/orders/ord_1`)).toBe(`${first},"shipped":{"by":null}}`);
    expect(await bodyOf(`${url}/v1/orders?noted=true`)).toBe('[]');
    expect(await bodyOf(`${url}/v1/orders?note=x`)).toBe('[]');
    expect(await bodyOf(`${url}/v1/orders?sort=-note&limit=1`)).toMatch(/^\[{"id":"ord_1",/);
  });

  it.each([
    ['', `resources.orders.list.map: the contract's field "number" has no source`],
    [
      'number: null, ',
      `resources.orders.list.map.number: the contract's field "number" has no source, but is never null`,
    ],
  ])('is refused where the contract requires it: %p', async (number, wanted) => {
    const refused = await start('{ kind: text, required: true }', number).catch((error: unknown) => error);
    const problems = JSON.parse((refused as Error).message) as { path: string; message: string }[];
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      wanted.replace('.list.', '.get.'),
      wanted,
    ]);
  });
});
