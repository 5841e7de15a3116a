import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
title: Shop
resources:
  orders: { singular: order, id: { prefix: ord }, fields: { number: { kind: text } }, single: true }
  carts: { singular: cart, id: { prefix: cart }, fields: { number: { kind: text } } }
`;

const LIST = "{ request: { path: /rows }, window: { kind: none }, items: '', map: { id: id, number: no } }";
const source = (baseUrl: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list: ${LIST}
    get: { request: { path: '/row/{id}' }, item: '', map: { id: id, number: no } }
  carts: { id: { kind: number }, list: ${LIST} }
`;

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
let written = 0;
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ method, target }) => {
      if (target.startsWith('/legacy')) {
        const status = target.endsWith('/refused') ? 409 : 200;
        if (method !== 'GET') written += 1;
        return { status, body: '{}' };
      }
      const row = `{"id":1,"no":"N${written}"}`;
      return { status: 200, body: target === '/rows' ? `[${row}]` : row };
    }),
  );
  gateway = await startGateway({
    contract: CONTRACT,
    sources: { 'shop.yaml': source(upstream.origin) },
    config: `resources: { orders: { source: shop, public: true }, carts: { source: shop, public: true } }
passthrough:
  - { name: legacy, path: /legacy, methods: [GET, POST, DELETE], upstream: '${upstream.origin}', permission: null, purges: [orders] }
`,
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function numberOf(path: string): Promise<string> {
  const { data } = (await (await fetch(`${gateway.url}/v1/${path}`)).json()) as { data: object };
  const [record] = [data].flat() as { number: string }[];
  return record?.number ?? '';
}
const numbers = () => Promise.all(['orders', 'orders/ord_1', 'carts'].map(numberOf));

describe('a write through a route that names what it changes', () => {
  it.each([
    ['POST', '/legacy', true],
    ['DELETE', '/legacy/1', true],
    ['POST', '/legacy/refused', false],
    ['GET', '/legacy', false],
  ])(
    'is seen in the next answer if it was one and succeeded, and there alone: %s %s',
    async (method, path, isSeen) => {
      await fetch(`${gateway.url}/legacy`, { method: 'POST' });
      const before = await numbers();
      written += 1;
      expect(await numbers()).toEqual(before);
      await (await fetch(gateway.url + path, { method })).text();
      const now = `N${written}`;
      const [, , carts] = before;
      expect(await numbers()).toEqual(isSeen ? [now, now, carts] : before);
    },
  );

  it.each([
    ['methods: [POST], purges: [users]', 'the contract has no resource users'],
    ['purges: [orders]', 'no method of the route writes'],
  ])('is refused if it can change nothing: %s', async (settings, wanted) => {
    const route = `{ name: legacy, path: /legacy, upstream: '${upstream.origin}', permission: null, ${settings} }`;
    const starting = startGateway({
      contract: CONTRACT,
      sources: { 'shop.yaml': source(upstream.origin) },
      config: `resources: { orders: { source: shop, public: true } }\npassthrough: [${route}]\n`,
    });
    await expect(starting).rejects.toThrow(wanted);
  });
});
