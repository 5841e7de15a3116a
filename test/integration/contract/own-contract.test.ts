import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
version: v2
title: Shop
pages: { default: 3, max: 10 }
resources:
  customers:
    singular: customer
    id: { prefix: cus }
    fields: { name: { kind: text } }
    sort: [name]
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      number: { kind: text, required: true }
      status: { kind: enum, values: [open, shipped, cancelled] }
      total: { kind: decimal, minimum: 0.5 }
      items: { kind: integer }
      paid: { kind: boolean }
      due: { kind: date }
      placed_at: { kind: datetime }
      customer: { kind: reference, to: customers }
      address: { city: { kind: text }, zip: { kind: text } }
    single: true
    sort: [id, placed_at, total, status, paid, due, items, address.city, customer]
    order: [-placed_at]
    filters:
      status: { field: status, is: one_of }
      customer: { field: customer, is: equal }
      exactly: { field: total, is: equal }
      min_total: { field: total, is: at_least }
      above_total: { field: total, is: above }
      placed_after: { field: placed_at, is: after }
      placed_on: { field: placed_at, is: equal }
      placed_by: { field: placed_at, is: at_most }
      below_total: { field: total, is: below }
      max_total: { field: total, is: at_most }
      paid: { field: paid, is: equal }
      due_by: { field: due, is: at_most }
      has_due: { field: due, is: known }
      ids: { field: id, is: one_of }
      city: { field: address.city, is: equal }
`;

const FIELDS = `
        id: id
        number: no
        status: { from: st, as: [{ enum: { O: open, S: shipped, C: cancelled, X: lost } }] }
        total: sum
        items: n
        paid: { from: paid, as: [{ enum: { Y: 'true', N: 'false' } }] }
        due: due
        placed_at: { from: at, as: [iso8601] }
        customer: cust
        address.city: addr.city
        address.zip: addr.zip
`;

const source = (baseUrl: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  customers:
    id: { kind: number }
    list: { request: { path: /customers }, window: { kind: none }, items: '', map: { id: id, name: name } }
  orders:
    id: { kind: number }
    list:
      request: { path: /orders }
      window: { kind: none }
      items: ''
      map: ${FIELDS}
    get:
      request: { path: '/orders/{id}' }
      item: ''
      map: ${FIELDS}
`;

/** Seven orders as the service has them; the digits of sums stand as they are written here. */
const ORDERS = [
  '{"id":1,"no":"N1","st":"O","sum":10,"n":1,"paid":"N","due":"2025-01-01","at":"2025-01-01T10:00:00+02:00","cust":1,"addr":{"city":"Köln","zip":"01"}}',
  '{"id":2,"no":"N2","st":"S","sum":9.90,"n":2,"paid":"Y","due":"2025-02-01","at":"2025-01-02T10:00:00+02:00","cust":2,"addr":{"city":"Bonn","zip":"02"}}',
  '{"id":3,"no":"N3","st":"C","sum":9.9,"n":"3","paid":"N","due":"2025-03-01","at":"2025-01-03T10:00:00+02:00","cust":10,"addr":{"city":"Köln","zip":"03"}}',
  '{"id":4,"no":"N4","st":"X","sum":100,"n":4.0,"paid":"Y","due":"2025-02-30","at":"2025-01-04T00:30:00+02:00","cust":1,"addr":{"city":"Bonn","zip":"04"}}',
  '{"id":5,"no":"N5","st":"O","sum":null,"n":5.5,"paid":"N","due":null,"at":"2025-01-05T10:00:00+02:00","cust":2,"addr":{"city":"Köln","zip":"05"}}',
  '{"id":6,"no":"N6","st":"S","sum":5.5,"n":6,"paid":"?","due":"2025-06-01","at":"2025-01-06T10:00:00+02:00","cust":3,"addr":{"city":"Bonn","zip":"06"}}',
  '{"id":7,"no":"N7","st":"C","sum":10.0,"n":7,"paid":"N","due":"2025-07-01","at":"2025-01-07T10:00:00+02:00","cust":1}',
];

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ path }) => {
      const id = /^\/orders\/(\d+)$/.exec(path)?.[1];
      const body = id === undefined ? `[${ORDERS.join(',')}]` : ORDERS[Number(id) - 1];
      return { status: body === undefined ? 404 : 200, body: body ?? '{}' };
    }),
  );
  const config = `resources: { orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } } }\n`;
  gateway = await startGateway({
    contract: CONTRACT,
    sources: { 'shop.yaml': source(upstream.origin) },
    config,
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

type Body = {
  data: { id: string }[];
  meta: { total: number };
  error?: { code: string; message: string };
};
const ask = async (query: string) => (await (await fetch(`${gateway.url}/v2/orders${query}`)).json()) as Body;
const idsOf = async (query: string) => {
  const { data, meta } = await ask(query);
  return `${data.map(({ id }) => id.slice('ord_'.length)).join(' ')} of ${meta.total}`;
};

describe('a resource that stands in a contract file alone', () => {
  it('is served with every kind of field in its canonical form, and with the digits of the source', async () => {
    const answer = await fetch(`${gateway.url}/v2/orders?ids=ord_2`);
    expect(await answer.text()).toBe(
      '{"data":[{"id":"ord_2","number":"N2","status":"shipped","total":9.90,"items":2,"paid":true,"due":"2025-02-01","placed_at":"2025-01-02T08:00:00Z","customer":"cus_2","address":{"city":"Bonn","zip":"02"}}],"meta":{"total":1,"page":1,"limit":3}}',
    );
  });

  it('has null for what is no value of a kind: another code, half an item, a day that there is not', async () => {
    const { data } = (await ask('/ord_4')) as unknown as { data: Record<string, unknown> };
    expect(data).toMatchObject({ status: null, items: 4, due: null, placed_at: '2025-01-03T22:30:00Z' });
    expect(((await ask('/ord_5')) as unknown as { data: Record<string, unknown> }).data).toMatchObject({
      total: null,
      items: null,
    });
  });

  it.each([
    ['', '7 6 5 of 7'],
    ['?sort=total&limit=10', '6 2 3 1 7 4 5 of 7'],
    ['?sort=-status&limit=10', '3 7 2 6 1 5 4 of 7'],
    ['?sort=paid&limit=10', '1 3 5 7 2 4 6 of 7'],
    ['?sort=-due&limit=10', '7 6 3 2 1 4 5 of 7'],
    ['?sort=customer&limit=10', '1 4 7 2 5 6 3 of 7'],
    ['?sort=address.city&limit=10', '2 4 6 1 3 5 7 of 7'],
    ['?page=3', '1 of 7'],
  ])('is in the order of its kind: %s', async (query, wanted) => {
    expect(await idsOf(query)).toBe(wanted);
  });

  it.each([
    ['status=open,shipped', '6 5 2 of 4'],
    ['status=shipped,open,open&page=2', '1 of 4'],
    ['customer=cus_1', '7 4 1 of 3'],
    ['exactly=9.900', '3 2 of 2'],
    ['min_total=9.9&sort=total&limit=10', '2 3 1 7 4 of 5'],
    ['above_total=9.9&sort=total', '1 7 4 of 3'],
    ['placed_after=2025-01-05T08:00:00Z', '7 6 of 2'],
    ['placed_after=2025-01-05', '7 6 of 2'],
    ['placed_by=9999-12-31', '7 6 5 of 7'],
    ['placed_after=9999-12-31', ' of 0'],
    ['placed_on=2025-01-03', '4 3 of 2'],
    ['placed_on=2025-01-03&placed_after=2025-01-05', ' of 0'],
    ['placed_on=2025-01-05T10:00:00 02:00', '5 of 1'],
    ['paid=true', '4 2 of 2'],
    ['due_by=2025-03-01', '3 2 1 of 3'],
    ['has_due=false', '5 4 of 2'],
    ['ids=ord_1,ord_99,ord_3', '3 1 of 2'],
    ['city=K%C3%B6ln&paid=false', '5 3 1 of 3'],
  ])('is narrowed by what the contract has: %s', async (query, wanted) => {
    expect(await idsOf(`?${query}`)).toBe(wanted);
  });

  it.each([
    ['status=lost', 'The parameter "status" must be one of open, shipped, cancelled, or several'],
    ['status=', 'The parameter "status" must be one of'],
    ['customer=ord_1', 'The parameter "customer" must be an id of the API.'],
    ['paid=1', 'The parameter "paid" must be true or false.'],
    ['due_by=2025-02-30', 'The parameter "due_by" must be a date such as'],
    ['placed_after=2025-01-05T08:00:00', 'The parameter "placed_after" must be a date, or a time'],
    ['min_total=2e1', 'The parameter "min_total" must be a plain decimal number, at least 0.5.'],
    ['min_total=0.4', 'The parameter "min_total" must be a plain decimal number, at least 0.5.'],
    [
      'min_total=5&max_total=9&below_total=4',
      'The parameter "min_total" must be not greater than "below_total"',
    ],
    ['min_total=5&above_total=4&limit=11', 'The parameter "limit" must be a whole number from 1 to 10.'],
    ['sort=number', 'The parameter "sort" must be one of id, placed_at, total'],
  ])('refuses a value that its kind does not have: %s', async (query, wanted) => {
    const { error } = await ask(`?${query}`);
    expect(error?.code).toBe('invalid_parameter');
    expect(error?.message.slice(0, wanted.length)).toBe(wanted);
  });

  it('is described by the OpenAPI document of its version, and by nothing of the built-in contract', async () => {
    const document = (await (await fetch(`${gateway.url}/v2/openapi.json`)).json()) as {
      info: object;
      paths: object;
    };
    expect(document.info).toMatchObject({ title: 'Shop', version: '2.0.0' });
    expect(Object.keys(document.paths)).toEqual(['/v2/customers', '/v2/orders', '/v2/orders/{id}']);
    expect((await fetch(`${gateway.url}/v1/users`)).status).toBe(404);
  });
});
