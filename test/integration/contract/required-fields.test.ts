import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
title: Shop
resources:
  orders:
    singular: order
    id: { prefix: ord }
    fields: { number: { kind: text, required: true }, state: { kind: text, required: true }, city: { kind: text } }
    single: { note: { kind: text, required: true } }
    sort: [number]
`;

const MAP = 'number: no, state: st, city: city';
const WHOLE = `map: { id: id, ${MAP} }`;
const source = (baseUrl: string, onInvalidRecord: string, list: string, dropWhen: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    onInvalidRecord: ${onInvalidRecord}
    list:
      request: { path: /orders, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: total }
      items: rows
      order: id
      orderIs: documented
      ${list}
    get: { request: { path: '/orders/{id}' }, item: '', ${dropWhen} map: { id: id, ${MAP}, note: note } }
`;

/** What each order lacks, by its id. */
const LACKS: Readonly<Record<number, readonly string[]>> = {
  1: [],
  2: ['no'],
  3: ['st'],
  4: ['no', 'st'],
  5: ['note'],
  6: ['st', 'note'],
  7: ['city'],
  8: ['id'],
};
const ORDERS = Object.entries(LACKS).map(([id, lacks]) => ({
  key: Number(id),
  record: Object.fromEntries(
    Object.entries({ id: Number(id), no: `N${id}`, st: 'open', city: 'Bonn', note: '-' }).filter(
      ([name]) => !lacks.includes(name),
    ),
  ),
}));
let listed = ORDERS.filter(({ key }) => key < 8);

let upstream: ScriptedUpstream;
const opened: SourceGateway[] = [];
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ path, query }) => {
      const id = /^\/orders\/(\d+)$/.exec(path)?.[1];
      if (id === undefined) {
        const [from, size] = [Number(query.get('from')), Number(query.get('n'))];
        const rows = listed.slice(from, from + size).map(({ record }) => record);
        return { body: JSON.stringify({ total: listed.length, rows }) };
      }
      const found = ORDERS.find(({ key }) => key === Number(id));
      return { status: found === undefined ? 404 : 200, body: JSON.stringify(found?.record ?? {}) };
    }),
  );
});
afterAll(async () => {
  for (const gateway of opened) await gateway.close();
  await upstream.close();
});

async function open(onInvalidRecord: string, list = WHOLE, dropWhen = ''): Promise<SourceGateway> {
  const gateway = await startGateway({
    contract: CONTRACT,
    sources: { 'shop.yaml': source(upstream.origin, onInvalidRecord, list, dropWhen) },
    config: 'resources: { orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } } }\n',
  });
  opened.push(gateway);
  return gateway;
}

describe('a single record', () => {
  const statusesOf = async ({ url }: SourceGateway) => {
    const found: number[] = [];
    for (const id of Object.keys(LACKS)) {
      const answer = await fetch(`${url}/v1/orders/ord_${id}`);
      await answer.arrayBuffer();
      found.push(answer.status);
    }
    return found;
  };

  it('is nobody’s if a list with onInvalidRecord: drop leaves it out, whatever else it lacks', async () =>
    // What only the single view requires leaves no record out of a list, and one without an id is nobody's answer.
    expect(await statusesOf(await open('drop'))).toEqual([200, 404, 404, 404, 502, 404, 200, 502]));

  it('without a required field is no answer otherwise', async () =>
    expect(await statusesOf(await open('fail'))).toEqual([200, 502, 502, 502, 502, 502, 200, 502]));
});

/** The ids and totals of some pages. */
async function pagesOf({ url }: SourceGateway): Promise<readonly string[]> {
  const found: string[] = [];
  for (const page of ['?limit=2', '?limit=2&page=2', '?limit=2&page=3', '?sort=-number&limit=2']) {
    const answer = (await (await fetch(`${url}/v1/orders${page}`)).json()) as {
      data: { id: string }[];
      meta: { total: number };
    };
    found.push(`${answer.data.map(({ id }) => id).join(' ')} of ${answer.meta.total}`);
  }
  return found;
}

describe('a list with onInvalidRecord: drop', () => {
  const IDS = 'map: { id: id }\n      hydrate: get';
  const OWN = `map: { id: id, number: no }\n      hydrate: { request: { path: '/orders/{id}' }, map: { id: id, state: st, city: city } }`;
  it.each([
    ['in the rows', WHOLE],
    ['in the details alone', IDS],
    ['in both', OWN],
  ])('counts no record that it leaves out, where what is required stands %s', async (_where, list) =>
    expect(await pagesOf(await open('drop', list))).toEqual([
      ...['ord_1 ord_5 of 3', 'ord_7 of 3', ' of 3', 'ord_7 ord_5 of 3'],
    ]),
  );
});

describe('a list whose details may be no record', () => {
  const DETAILS = 'map: { id: id }\n      hydrate: get';
  const GONE = 'dropWhen: [{ at: city, present: false }],';
  it.each(['drop', 'fail'])(
    'counts none that is nobody’s singly (onInvalidRecord: %s)',
    async (onInvalid) => {
      listed = ORDERS.filter(({ key }) => [1, 5, 7].includes(key));
      const gateway = await open(onInvalid, DETAILS, GONE);
      expect((await fetch(`${gateway.url}/v1/orders/ord_7`)).status).toBe(404);
      expect(await pagesOf(gateway)).toEqual(['ord_1 ord_5 of 2', ' of 2', ' of 2', 'ord_5 ord_1 of 2']);
    },
  );

  it('fails if the details of a row are not there at all', async () => {
    listed = [...ORDERS.slice(0, 1), { key: 99, record: { id: 99 } }];
    const { url } = await open('drop', DETAILS, GONE);
    expect((await fetch(`${url}/v1/orders`)).status).toBe(502);
  });
});
