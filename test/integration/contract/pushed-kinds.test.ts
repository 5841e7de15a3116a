import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { serve } from './pushed-service.ts';

const CONTRACT = `contract: 1
version: v1
title: Shop
pages: { default: 3, max: 50 }
resources:
  customers:
    singular: customer
    id: { prefix: cus }
    fields: { name: { kind: text } }
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      status: { kind: enum, values: [open, shipped, cancelled] }
      total: { kind: decimal }
      items: { kind: integer }
      paid: { kind: boolean }
      due: { kind: date }
      placed_at: { kind: datetime }
      paid_at: { kind: datetime }
      customer: { kind: reference, to: customers }
    sort: [id, status, total, items, paid, due, placed_at, customer]
    filters:
      status: { field: status, is: one_of }
      exactly: { field: total, is: equal }
      min_total: { field: total, is: at_least }
      below_total: { field: total, is: below }
      items: { field: items, is: one_of }
      above_items: { field: items, is: above }
      min_items: { field: items, is: at_least }
      paid: { field: paid, is: equal }
      due: { field: due, is: equal }
      due_by: { field: due, is: at_most }
      due_after: { field: due, is: after }
      placed: { field: placed_at, is: equal }
      placed_from: { field: placed_at, is: at_least }
      placed_to: { field: placed_at, is: at_most }
      paid_before: { field: paid_at, is: before }
      paid_from: { field: paid_at, is: at_least }
      customer: { field: customer, is: equal }
      ids: { field: id, is: one_of }
      has_due: { field: due, is: known }
`;

const MAP = `
        id: id
        status: { from: st, as: [{ enum: { '1': open, '2': shipped, '3': cancelled } }] }
        total: sum
        items: n
        paid: { from: paid, as: [{ enum: { Y: 'true', N: 'false' } }] }
        due: due
        placed_at: { from: at, as: [iso8601] }
        paid_at: { from: secs, as: [{ nullIf: [0] }, epochSeconds] }
        customer: cust
`;

const exact = (name: string) => `{ query: { ${name}: '{value}' }, exactness: exact }`;
const whole = (name: string) => exact(name).replace('exact }', 'exact, wholeMs: true }');
const PUSHED = `
      order: id
      orderIs: documented
      filters:
        id: { eq: ${exact('id.eq')} }
        status: { eq: ${exact('st.eq')} }
        total: { eq: ${exact('sum.eq')}, ge: ${exact('sum.ge')}, le: ${exact('sum.le')} }
        items: { eq: ${exact('n.eq')}, ge: ${exact('n.ge')} }
        paid: { eq: ${exact('paid.eq')} }
        due: { eq: ${exact('due.eq')}, ge: ${exact('due.ge')}, le: ${exact('due.le')} }
        placed_at: { eq: ${whole('at.eq')}, ge: ${exact('at.ge')}, le: ${whole('at.le')} }
        paid_at: { ge: ${exact('secs.ge')}, le: ${whole('secs.le')} }
        customer: { eq: ${exact('cust.eq')} }
      sort:
        query: { by: '{column}.{direction}' }
        columns: { id: id, status: st, total: sum, items: n, paid: paid, due: due, placed_at: at, customer: cust }
`;

const source = (baseUrl: string, list: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 200, is: ok }]
resources:
  customers:
    id: { kind: number }
    list: { request: { path: /customers }, window: { kind: none }, items: '', map: { id: id, name: name } }
  orders:
    id: { kind: number }
    list:
      request: { path: /orders, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: total, counts: filtered }
      items: rows${list}
      map: ${MAP}
`;

let upstream: ScriptedUpstream;
let pushed: SourceGateway;
let scanned: SourceGateway;
beforeAll(async () => {
  upstream = await startUpstream(serving(({ query }) => ({ body: serve(query) })));
  const start = (list: string) =>
    startGateway({
      contract: CONTRACT,
      sources: { 'shop.yaml': source(upstream.origin, list) },
      config: 'resources: { orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } } }\n',
    });
  [pushed, scanned] = [await start(PUSHED), await start('')];
});
afterAll(async () => {
  await pushed.close();
  await scanned.close();
  await upstream.close();
});

const bodyOf = async (gateway: SourceGateway, query: string) =>
  (await fetch(`${gateway.url}/v1/orders?${query}`)).text();

/** What the service was asked for, but for the rows of the window. */
const askedFor = () =>
  new Set(
    upstream.requests.map(({ query }) =>
      [...query]
        .filter(([name]) => name.includes('.') || name === 'by')
        .map((one) => one.join('='))
        .join(' '),
    ),
  );

describe('a source that filters by fields of every kind', () => {
  it.each([
    ['status=shipped', 'st.eq=2'],
    ['status=open,open', 'st.eq=1'],
    ['status=open,shipped', ''],
    ['exactly=2.500', 'sum.eq=2.5'],
    ['exactly=-3.0', 'sum.eq=-3'],
    ['min_total=-2.5&exactly=4', 'sum.ge=-2.5 sum.eq=4'],
    ['below_total=-1', 'sum.le=-1'],
    ['items=4', 'n.eq=4'],
    ['items=4,5', ''],
    ['above_items=6', 'n.ge=6'],
    ['paid=true', 'paid.eq=Y'],
    ['paid=false', 'paid.eq=N'],
    ['due=2025-01-07', 'due.eq=2025-01-07'],
    ['due_by=2025-01-03', 'due.le=2025-01-03'],
    ['due_after=2025-01-17', 'due.ge=2025-01-17'],
    ['placed=2025-01-05T00:00:00.250Z', 'at.eq=2025-01-05T00:00:00.250Z'],
    ['placed=2025-01-02T12:00:00%2B01:00', 'at.eq=2025-01-02T11:00:00Z'],
    ['placed=2025-01-05', 'at.ge=2025-01-05T00:00:00Z at.le=2025-01-06T00:00:00Z'],
    ['placed_from=2025-01-18', 'at.ge=2025-01-18T00:00:00Z'],
    ['placed_to=2025-01-02', 'at.le=2025-01-03T00:00:00Z'],
    ['paid_from=2025-03-01T00:50:00Z', 'secs.ge=1740790200'],
    ['paid_from=2025-03-01T00:50:00.5Z', ''],
    // The zeros that mean "unknown" lie below.
    ['paid_before=2025-03-01T00:05:00Z', ''],
    ['customer=cus_7', 'cust.eq=7'],
    ['ids=ord_17', 'id.eq=17'],
    ['ids=ord_17,ord_4', ''],
    ['has_due=false', ''],
    ['min_items=3&above_items=5', 'n.ge=5'],
  ])('is asked in its own form, and answers as a scan does: %s', async (query, wanted) => {
    upstream.become(serving((request) => ({ body: serve(request.query) })));
    const answer = await bodyOf(pushed, `${query}&limit=2`);
    const asked = [...askedFor()].map((one) =>
      one
        .split(' ')
        .filter((part) => !part.startsWith('by='))
        .sort()
        .join(' '),
    );
    // The rows of the whole list may be at hand already.
    expect(asked.length === 0 ? [''] : asked).toContain(wanted.split(' ').sort().join(' '));
    expect(answer).toContain('"total":');
    for (const page of ['', '&page=2', '&limit=50'])
      expect(await bodyOf(pushed, query + page)).toBe(await bodyOf(scanned, query + page));
  });

  it.each(['customer=cus_abc', 'ids=ord_x'])(
    'is not asked for an id that it cannot have: %s',
    async (query) => {
      upstream.become(serving((request) => ({ body: serve(request.query) })));
      expect(await bodyOf(pushed, query)).toBe('{"data":[],"meta":{"total":0,"page":1,"limit":3}}');
      expect(upstream.requests).toHaveLength(0);
    },
  );

  it.each(['status', 'total', 'items', 'paid', 'due', 'placed_at', 'customer', 'id'])(
    'sorts by %s as a scan does',
    async (field) => {
      upstream.become(serving((request) => ({ body: serve(request.query) })));
      for (const query of [`sort=${field}`, `sort=-${field}&page=7`, `sort=${field}&page=3&limit=19`])
        expect(await bodyOf(pushed, query)).toBe(await bodyOf(scanned, query));
    },
  );

  it.each([
    'status=open',
    'exactly=2.5',
    'items=4',
    'paid=true',
    'due=2025-01-07',
    'customer=cus_7',
    'ids=ord_17',
  ])('is not believed once it ignores the filter: %s', async (query) => {
    upstream.become(serving((request) => ({ body: serve(request.query, true) })));
    const answers = [await bodyOf(pushed, query), await bodyOf(pushed, query), await bodyOf(pushed, query)];
    expect(answers.at(-1)).toBe(await bodyOf(scanned, query));
  });
});

describe('a source file that cannot be right', () => {
  const problemsOf = (from: string, to: string) => {
    const text = source('http://127.0.0.1:1', PUSHED).replace(from, to);
    return startGateway({ contract: CONTRACT, sources: { 'shop.yaml': text } }).then(
      async (gateway) => {
        await gateway.close();
        return 'served';
      },
      (error: unknown) => String(error),
    );
  };

  it.each([
    [
      'placed_at: { from: at, as: [iso8601] }',
      "placed_at: { from: at, as: [{ date: { format: 'yyyy-MM-dd', zone: UTC } }] }",
      'the steps that read placed_at cannot be inverted',
    ],
    ["N: 'false' }", "N: 'false', F: 'false' }", 'the steps that read paid cannot be inverted'],
    [
      'filters:\n        id',
      'filters:\n        st: { eq: { exactness: none } }\n        id',
      'no filter eq on st',
    ],
    ['items: { eq', 'items: { le: { exactness: none }, eq', 'no filter le on items'],
  ])('is refused with a hint: %s', async (from, to, problem) => {
    expect(await problemsOf(from, to)).toContain(problem);
  });

  it('has no order of its own beside that of the contract', async () => {
    const contract = CONTRACT.replace(
      '    sort: [id, status',
      '    order: [-placed_at]\n    sort: [id, status',
    );
    const text = source('http://127.0.0.1:1', PUSHED).replace('order: id', 'order: source');
    await expect(startGateway({ contract, sources: { 'shop.yaml': text } })).rejects.toThrow(
      'the contract orders orders by placed_at, descending',
    );
  });
});
