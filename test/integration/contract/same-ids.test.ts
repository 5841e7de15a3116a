import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/command/run-command.ts';
import { loadTexts } from '../../support/gateway/config-texts.ts';
import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { createFolder } from '../../support/process/folder.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
title: Shop
resources:
  customers: { singular: customer, id: { prefix: cus }, fields: { name: { kind: text } }, single: true }
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      number: { kind: text }
      customer: { kind: reference, to: customers }
      watchers: { kind: list, of: { kind: reference, to: customers } }
      lines: { kind: list, of: { sku: { kind: text }, seller: { kind: reference, to: customers } } }
    single: true
    sort: [customer]
    filters:
      customer: { field: customer, is: equal }
      watcher: { field: watchers, is: has }
`;

const head = (name: string, baseUrl: string) => `source: 1
name: ${name}
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
`;
/** The map of a customer, and the ids of customers as a source has them. */
const customers = (id = '{ kind: number }') => `  customers:
    id: ${id}
    list: { request: { path: /customers }, window: { kind: none }, items: '', map: { id: id, name: name } }
    get: { request: { path: '/customers/{id}' }, item: '', map: { id: id, name: name } }
`;
const SAME = `
        id: id
        number: no
        customer: { from: cust, ids: same }
        watchers: { from: watch, each: { ids: same } }
        lines: { from: lines, each: { map: { sku: sku, seller: { from: who, ids: same } } } }
`;
const NOT_SAME = SAME.replaceAll(', ids: same', '').replace('each: { ids: same }', 'each: {}');
const orders = (map = SAME, single = map) => `  orders:
    id: { kind: number }
    list:
      request: { path: /orders }
      window: { kind: none }
      items: ''
      filters: { customer: { eq: { query: { who: '{value}' }, exactness: exact } } }
      map: ${map}
    get:
      request: { path: '/orders/{id}' }
      item: ''
      map: ${single}
`;

/** Orders of a service that writes the numbers of customers with zeros before them, as the other does not. */
const ORDERS = [
  { id: 1, no: 'N1', cust: '0007', watch: ['0010', '7'], lines: [{ sku: 'A', who: '0010' }] },
  { id: 2, no: 'N2', cust: '0010', watch: [], lines: [] },
  { id: 3, no: 'N3', cust: 'none', watch: ['x'], lines: [{ sku: 'A', who: null }] },
];

const CONFIG = `resources:
  customers: { source: crm, public: true }
  orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } }
`;

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ path, query }) => {
      const id = /^\/(?:orders|customers)\/(\d+)$/.exec(path)?.[1];
      if (path.startsWith('/customers'))
        return { body: id === undefined ? '[{"id":7},{"id":10}]' : `{"id":${id},"name":"C${id}"}` };
      const who = query.get('who');
      const found = ORDERS.filter(({ cust }) => who === null || Number(cust) === Number(who));
      return { body: JSON.stringify(id === undefined ? found : ORDERS[Number(id) - 1]) };
    }),
  );
  const sources = {
    'crm.yaml': head('crm', upstream.origin) + customers(),
    'shop.yaml': head('shop', upstream.origin) + orders(),
  };
  gateway = await startGateway({ contract: CONTRACT, sources, config: CONFIG });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const ask = async (path: string) => await (await fetch(`${gateway.url}/v1/${path}`)).json();
const ONE = {
  ...{ id: 'ord_1', number: 'N1', customer: 'cus_7', watchers: ['cus_10', 'cus_7'] },
  lines: [{ sku: 'A', seller: 'cus_10' }],
};

describe('a reference with ids: same', () => {
  it('is the id that the source of its resource gives, in lists and singly', async () => {
    expect(await ask('orders/ord_1')).toEqual({ data: ONE });
    expect(await ask('orders')).toMatchObject({
      data: [ONE, { customer: 'cus_10', watchers: [] }, { customer: null, watchers: null }],
    });
    expect(await ask(`customers/${ONE.customer}`)).toEqual({ data: { id: 'cus_7', name: 'C7' } });
  });

  it('is filtered and sorted by like any other', async () => {
    const idsOf = async (query: string) =>
      ((await ask(`orders?${query}`)) as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(await idsOf('customer=cus_10')).toEqual(['ord_2']);
    expect(upstream.requests.at(-1)?.target).toContain('who=10');
    expect(await idsOf('watcher=cus_7')).toEqual(['ord_1']);
    expect(await idsOf('sort=-customer')).toEqual(['ord_2', 'ord_1', 'ord_3']);
  });
});

type Files = {
  readonly shop?: string;
  readonly more?: string;
  readonly config?: string;
  readonly crm?: string;
};
const load = ({ shop = orders(), more = orders(), config = CONFIG, crm = customers() }: Files) =>
  loadTexts({
    contract: CONTRACT,
    gateway: `portico: 1\n${config}`,
    sources: {
      'crm.yaml': head('crm', 'http://127.0.0.1:1') + crm,
      'shop.yaml': head('shop', 'http://127.0.0.1:2') + shop,
      'more.yaml': head('more', 'http://127.0.0.1:3') + more,
    },
  });
const problemsOf = (files: Files) =>
  load(files).problems.map(({ file, line, path, message }) => `${file}:${line} ${path}: ${message}`);

describe('a reference to a resource that another source serves', () => {
  const OTHER = 'refers to customers, which "crm" serves and not this source';
  const both = (map: string, single = map) => customers() + orders(map, single);

  it('is refused without ids: same, wherever it stands, with its line and what to write', () => {
    expect(problemsOf({ shop: both(NOT_SAME, SAME) })).toEqual([
      expect.stringContaining(`shop.yaml:20 resources.orders.list.map.customer: customer ${OTHER}`),
      expect.stringContaining(`shop.yaml:21 resources.orders.list.map.watchers.each: watchers ${OTHER}`),
      expect.stringContaining(
        `shop.yaml:22 resources.orders.list.map.lines.each.map.seller: lines.seller ${OTHER}`,
      ),
    ]);
    expect(load({ shop: both(NOT_SAME, SAME) }).problems.map(({ hint }) => hint)).toEqual([
      'customer: { from: cust, ids: same }, if both sources have the same ids for customers; else no source can name them',
      'watchers: { from: watch, each: { ids: same } }, if both sources have the same ids for customers; else no source can name them',
      'seller: { from: who, ids: same }, if both sources have the same ids for customers; else no source can name them',
    ]);
    expect(problemsOf({ shop: both(SAME, NOT_SAME) })[0]).toContain('resources.orders.get.map.customer');
  });

  it('is refused if the value is the record itself', () => {
    expect(problemsOf({ shop: both(NOT_SAME.replace('customer: cust', "customer: ''"), SAME) })[0]).toContain(
      `resources.orders.list.map.customer: customer ${OTHER}`,
    );
  });

  it('is refused in the details of rows', () => {
    const hydrated = orders().replace(
      / {6}map: [^]*? {4}get/,
      `      map: { id: id, number: no, watchers: null, lines: null }\n      hydrate: { request: { path: '/orders/{id}' }, map: { id: id, customer: cust } }\n    get`,
    );
    expect(problemsOf({ shop: customers() + hydrated })).toEqual([
      expect.stringContaining(`resources.orders.list.hydrate.map.customer: customer ${OTHER}`),
    ]);
  });

  it('is refused if only the source that the resource moves to has it so', () => {
    const config = CONFIG.replace('source: shop,', 'source: shop, migration: { to: more, stage: shadow },');
    expect(problemsOf({ config })).toEqual([]);
    expect(problemsOf({ config, more: customers() + orders(NOT_SAME) })[0]).toContain(
      'more.yaml:20 resources.orders.list.map.customer',
    );
  });

  it.each<[string, Files]>([
    [
      'this source serves the resource',
      { config: CONFIG.replace('source: crm', 'source: shop'), shop: both(NOT_SAME) },
    ],
    [
      'the resource moves to this source',
      {
        config: CONFIG.replace('source: crm,', 'source: crm, migration: { to: shop, stage: shadow },'),
        shop: both(NOT_SAME),
      },
    ],
    ['nothing is served from this source', { more: both(NOT_SAME) }],
    ['nobody serves the resource', { config: CONFIG.replace(/.*crm.*\n/, ''), shop: both(NOT_SAME) }],
    [
      'no value is mapped',
      { shop: both('{ id: id, number: no, customer: null, watchers: null, lines: null }') },
    ],
  ])('needs no ids: same if %s', (_why, files) => expect(problemsOf(files)).toEqual([]));
});

describe('ids: same', () => {
  it.each<[string, Files, string]>([
    [
      'where no source serves the resource',
      { config: CONFIG.replace(/.*crm.*\n/, '') },
      'shop.yaml:16 resources.orders.list.map.customer: no source serves customers, so nothing says which ids are the same',
    ],
    [
      'for what is no reference',
      { shop: orders(SAME.replace('number: no', 'number: { from: no, ids: same }')) },
      'shop.yaml:15 resources.orders.list.map.number.ids: number is text, and only a reference has the ids of a resource',
    ],
    [
      'for a list as a whole',
      { shop: orders(SAME.replace('watch, each: { ids: same }', 'watch, ids: same')) },
      'shop.yaml:17 resources.orders.list.map.watchers.ids: watchers is list, and only a reference has the ids of a resource',
    ],
  ])('is refused %s', (_where, files, problem) => expect(problemsOf(files)).toContain(problem));

  it('makes what is cached of a resource depend on the ids of the other source', () => {
    const digestOf = (id: string) => {
      const { compiled } = load({ crm: customers(id) });
      return JSON.stringify(compiled.find(({ source }) => source.spec.name === 'shop')?.source.spec);
    };
    expect(digestOf('{ kind: text }')).not.toBe(digestOf('{ kind: number }'));
    // Text around an id is in the other service alone.
    expect(digestOf("{ kind: number, pattern: '(\\d+)$' }")).toBe(digestOf('{ kind: number }'));
  });

  it('is kept by commands that read the source file again, or alone', async () => {
    const folder = createFolder('same-ids');
    const place = (name: string) => join(folder.path, name);
    mkdirSync(place('sources'));
    writeFileSync(place('contract.yaml'), CONTRACT);
    writeFileSync(place('portico.yaml'), `portico: 1\n${CONFIG}`);
    writeFileSync(place('sources/crm.yaml'), head('crm', upstream.origin) + customers());
    writeFileSync(place('sources/shop.yaml'), head('shop', upstream.origin) + orders());
    const run = (...args: readonly string[]) => runCommand(['--config', place('portico.yaml'), ...args]);
    expect(await run('check')).toMatchObject({ code: 0, err: '' });
    expect(await run('check', '--source', place('sources/shop.yaml'))).toMatchObject({ code: 0, err: '' });
    const { out } = await run('explain', 'GET /v1/orders/ord_1', '--live', '--values');
    expect(out).toContain('cus_7');
    folder.remove();
  });
});
