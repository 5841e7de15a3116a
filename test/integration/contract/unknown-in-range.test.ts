import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { serve } from './pushed-service.ts';

const CONTRACT = `contract: 1
title: Shop
pages: { default: 3, max: 50 }
resources:
  orders:
    singular: order
    id: { prefix: ord }
    fields: { shipped: { kind: date }, paid_at: { kind: datetime } }
    filters:
      shipped: { field: shipped, is: equal }
      shipped_by: { field: shipped, is: at_most }
      shipped_before: { field: shipped, is: before }
      shipped_from: { field: shipped, is: at_least }
      shipped_after: { field: shipped, is: after }
      paid_by: { field: paid_at, is: at_most }
      paid_before: { field: paid_at, is: before }
      paid_from: { field: paid_at, is: at_least }
`;

const exact = (name: string, more = '') => `{ query: { ${name}: '{value}' }, exactness: exact${more} }`;
const source = (baseUrl: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list:
      request: { path: /orders, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: total, counts: filtered }
      items: rows
      order: id
      orderIs: documented
      filters:
        shipped: { eq: ${exact('ship.eq')}, ge: ${exact('ship.ge')}, le: ${exact('ship.le')} }
        paid_at: { ge: ${exact('secs.ge')}, le: ${exact('secs.le', ', wholeMs: true')} }
      map:
        id: id
        shipped: { from: ship, as: [{ nullIf: ['0000-00-00'] }] }
        paid_at: { from: secs, as: [{ nullIf: [0] }, epochSeconds] }
`;

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
beforeEach(async () => {
  upstream = await startUpstream(serving(({ query }) => ({ body: serve(query) })));
  gateway = await startGateway({ contract: CONTRACT, sources: { 'shop.yaml': source(upstream.origin) } });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

type Answer = {
  readonly data: readonly Readonly<Record<string, string | null>>[];
  readonly meta: { readonly total: number };
};
const ask = async (query: string) =>
  (await (await fetch(`${gateway.url}/v1/orders?${query}`)).json()) as Answer;

describe('a range of a service that has values for "unknown"', () => {
  it.each([
    ['shipped_by=2025-01-07', 'shipped'],
    ['shipped_before=2025-01-07', 'shipped'],
    ['paid_by=2025-03-01T00:05:00Z', 'paid_at'],
    ['paid_before=2025-03-01T00:05:00Z', 'paid_at'],
  ])(
    'that may hold them has the known ones alone, in its rows and in its total: %s',
    async (query, field) => {
      const { data, meta } = await ask(`${query}&limit=50`);
      expect(meta.total).toBe(data.length);
      expect(data.filter((one) => one[field] === null)).toEqual([]);
      // The source is asked for its range all the same, unless a value for "unknown" is a value of the kind: 0 is a time.
      expect(upstream.requests.some(({ target }) => target.includes('.le'))).toBe(field === 'shipped');
    },
  );

  it.each([
    ['shipped=2025-01-07', 'ship.eq=2025-01-07'],
    ['shipped_from=2025-01-07', 'ship.ge=2025-01-07'],
    ['shipped_after=2025-01-07', 'ship.ge=2025-01-07'],
    ['paid_from=2025-03-01T00:05:00Z', 'secs.ge=1740787500'],
  ])('that cannot hold them is sent: %s', async (query, sent) => {
    await ask(query);
    expect(upstream.requests.at(0)?.target).toContain(sent);
  });
});
