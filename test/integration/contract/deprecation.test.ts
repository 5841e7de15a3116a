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
      code: { kind: text, deprecated: true, sunset: 2027-06-30 }
    single: true
    filters:
      number: { field: number, is: equal }
      code: { field: code, is: equal, deprecated: 2026-11-01, sunset: 2027-06-30 }
  carts:
    singular: cart
    id: { prefix: cart }
    fields: { number: { kind: text } }
    filters: { number: { field: number, is: equal, sunset: 2027-01-01 } }
    deprecated: true
    sunset: 2027-12-31
`;

const list = (path: string, more = '') =>
  `{ request: { path: ${path} }, window: { kind: none }, items: '', map: { id: id, number: no${more} } }`;
const source = (baseUrl: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list: ${list('/rows', ', code: no')}
    get: { request: { path: '/row/{id}' }, item: '', map: { id: id, number: no, code: no } }
  carts:
    id: { kind: number }
    list: ${list('/rows')}
`;

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ target }) => ({
      status: 200,
      body: target === '/rows' ? '[{"id":1,"no":"N1"}]' : '{"id":1,"no":"N1"}',
    })),
  );
  gateway = await startGateway({
    contract: CONTRACT,
    sources: { 'shop.yaml': source(upstream.origin) },
    config: `resources: { orders: { source: shop, public: true }, carts: { source: shop, public: true } }\n`,
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function marksOf(path: string) {
  const { headers, status } = await fetch(`${gateway.url}/v1/${path}`);
  return [status, headers.get('deprecation'), headers.get('sunset')];
}
const END_2027 = 'Fri, 31 Dec 2027 00:00:00 GMT';

describe('what is going', () => {
  it.each([
    ['orders', [200, null, null]],
    ['orders?number=N1', [200, null, null]],
    ['orders/ord_1?code=N1', [200, null, null]],
    // 2026-11-01 in seconds since 1970 (RFC 9745), and a date of HTTP (RFC 8594).
    ['orders?code=N1', [200, '@1793491200', 'Wed, 30 Jun 2027 00:00:00 GMT']],
    ['orders?%63ode=N1', [200, '@1793491200', 'Wed, 30 Jun 2027 00:00:00 GMT']],
    ['carts', [200, '@0', END_2027]],
    ['carts?number=N1', [200, '@0', 'Fri, 01 Jan 2027 00:00:00 GMT']],
  ])('is told by headers to who uses it, hit and miss: %s', async (path, wanted) => {
    expect(await marksOf(path)).toEqual(wanted);
    expect(await marksOf(path)).toEqual(wanted);
  });

  it('is marked in the OpenAPI document', async () => {
    type Marked = { deprecated?: boolean; 'x-sunset'?: string };
    type Get = Marked & { parameters: (Marked & { name: string })[] };
    const { paths, components } = (await (await fetch(`${gateway.url}/v1/openapi.json`)).json()) as {
      paths: Record<string, { get: Get }>;
      components: { schemas: Record<string, { properties: Record<string, Marked> }>; headers: object };
    };
    expect(paths['/v1/carts']?.get).toMatchObject({ deprecated: true, 'x-sunset': '2027-12-31' });
    expect(paths['/v1/orders']?.get.deprecated).toBeUndefined();
    const marked = paths['/v1/orders']?.get.parameters.filter(({ deprecated }) => deprecated === true);
    expect(marked?.map(({ name }) => name)).toEqual(['code']);
    expect(components.schemas.Order?.properties.code).toMatchObject({ deprecated: true });
    expect(components.schemas.Order?.properties.number).not.toHaveProperty('deprecated');
    expect(components.headers).toHaveProperty('Deprecation');
  });
});
