// Filters by one of several values (`one_of`) that the source applies itself.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/command/run-command.ts';
import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';
import { createFolder } from '../../support/process/folder.ts';
import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
version: v1
title: Shop
pages: { default: 3, max: 50 }
resources:
  customers: { singular: customer, id: { prefix: cus }, fields: { name: { kind: text } } }
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      status: { kind: enum, values: [open, shipped, cancelled, lost] }
      items: { kind: integer }
      customer: { kind: reference, to: customers }
    filters:
      ids: { field: id, is: one_of }
      status: { field: status, is: one_of }
      items: { field: items, is: one_of }
      customer: { field: customer, is: one_of }
      the_status: { field: status, is: equal }
`;

const FILTERS = `filters:
        id: { in: { query: { id: '{value}' }, max: 3, exactness: exact } }
        status:
          eq: { query: { st: '{value}' }, exactness: exact }
          in: { query: { st: '{values}' }, separator: '|', exactness: exact }
        items: { in: { expr: 'n in ({values})', escape: number, exactness: superset } }
        customer: { in: { query: { cust: '{values}' }, exactness: exact } }
`;
const source = (baseUrl: string, filters: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 200, is: ok }]
resources:
  customers:
    id: { kind: text }
    list: { request: { path: /customers }, window: { kind: none }, items: '', map: { id: id, name: name } }
  orders:
    id: { kind: number }
    list:
      request: { path: /orders, query: { where: '{filter}', from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: total }
      items: rows
      order: id
      orderIs: documented
      ${filters}
      map: { id: id, status: { from: st, as: [{ enum: { '1': open, '2': shipped, '3': cancelled } }] }, items: n, customer: cust }
`;

const ROWS = Array.from({ length: 40 }, (_, index) => ({
  id: index + 1,
  st: String((index % 3) + 1),
  n: index % 13 === 12 ? null : index % 9,
  cust: ['a', 'b', 'c,d', null][index % 4],
}));

/** Which of the values sent to it a service uses. */
type Uses = (values: readonly string[]) => readonly string[];
const all: Uses = (values) => values;

function serve({ query }: UpstreamRequest, uses: Uses) {
  const where = /^n in \((.*)\)$/.exec(query.get('where') ?? '')?.[1];
  const wanted = {
    id: query.getAll('id'),
    st: query.getAll('st').flatMap((text) => text.split('|')),
    cust: query.getAll('cust').flatMap((text) => text.split(',')),
    n: where === undefined ? [] : where.split(','),
  };
  const found = ROWS.filter((row) =>
    Object.entries(wanted).every(([column, sent]) => {
      const values = uses(sent);
      return values.length === 0 || values.includes(String(row[column as keyof typeof row]));
    }),
  );
  const from = Number(query.get('from'));
  return { body: { total: found.length, rows: found.slice(from, from + Number(query.get('n'))) } };
}

const upstream = startForEach(() => startUpstream(serving((request) => serve(request, all))));

/** A gateway whose file has these filters, and whose service uses these of their values. */
async function start(filters = FILTERS, uses = all): Promise<SourceGateway> {
  upstream.become(serving((request) => serve(request, uses)));
  const sources = { 'shop.yaml': source(upstream.origin, filters) };
  const config =
    'resources: { orders: { source: shop, public: true, cache: { fresh: 0s, notFound: 0s } } }\n';
  return endAfterTest(await startGateway({ contract: CONTRACT, sources, config }));
}

type Page = { readonly data: readonly { readonly id: string }[]; readonly meta: { readonly total: number } };
const bodyOf = async ({ url }: SourceGateway, query: string) =>
  (await fetch(`${url}/v1/orders?${query}`)).text();

/** What the service was asked for, but for the rows of the window. */
const asked = () =>
  upstream.requests.map(({ query }) =>
    [...query]
      .filter(([name]) => !['from', 'n'].includes(name))
      .map((one) => one.join('='))
      .join(' '),
  );

describe('a filter by one of several values', () => {
  it.each([
    ['ids=ord_7,ord_2,ord_7', 'id=7 id=2'],
    ['ids=ord_7', 'id=7'],
    ['status=shipped,open', 'st=2|1'],
    ['status=shipped,lost', 'st=2'],
    ['items=3,2,3', 'where=n in (3,2)'],
    ['customer=cus_a,cus_b', 'cust=a,b'],
    ['status=open,shipped&customer=cus_a,cus_b', 'st=1|2 cust=a,b'],
    ['status=open,shipped&the_status=open', 'st=1|2'],
    ['customer=cus_a,cus_c~2cd', ''],
    ['ids=ord_1,ord_2,ord_3,ord_4', ''],
    ['items=1,1234567890123456', ''],
  ])('is sent as a whole or not at all, and never changes an answer: %s', async (query, sent) => {
    const scanned = await start('');
    const expected = [await bodyOf(scanned, query), await bodyOf(scanned, `${query}&page=2`)];
    const pushed = await start();
    expect(await bodyOf(pushed, query)).toBe(expected[0]);
    expect(asked()[0]).toBe(sent);
    expect(await bodyOf(pushed, `${query}&page=2`)).toBe(expected[1]);
  });

  it('asks for nothing if no record can have any of the values', async () => {
    const gateway = await start();
    expect(JSON.parse(await bodyOf(gateway, 'status=lost'))).toMatchObject({ data: [], meta: { total: 0 } });
    expect(asked()).toEqual([]);
  });

  it('has every page and the total from the source, without a scan', async () => {
    const gateway = await start();
    const pages: Page[] = [];
    for (let page = 1; page <= 10; page += 1)
      pages.push(JSON.parse(await bodyOf(gateway, `status=open,cancelled&page=${page}`)) as Page);
    const wanted = ROWS.filter(({ st }) => st !== '2').map(({ id }) => `ord_${id}`);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(wanted);
    expect(new Set(pages.map(({ meta }) => meta.total))).toEqual(new Set([wanted.length]));
    expect(asked().every((one) => one.startsWith('st='))).toBe(true);
  });

  it('is disabled where the source ignores it, and scanned for from then on', async () => {
    const scanned = await start('');
    const expected = await bodyOf(scanned, 'status=open,cancelled');
    const gateway = await start(FILTERS, () => []);
    expect(await bodyOf(gateway, 'status=open,cancelled')).toBe(expected);
    expect(await gateway.counted('portico_guard_trips_total', 'filter.status.in')).toBeGreaterThan(0);
    upstream.become(serving((request) => serve(request, () => [])));
    expect(await bodyOf(gateway, 'status=cancelled,open&limit=2')).toContain(`"total":27`);
    expect(asked().filter((one) => one.includes('st='))).toEqual([]);
  });

  it.each([
    ['path', `{ path: '/orders/{value}', exactness: exact }`, 'path', 'query, expr or item'],
    ['separator', `{ query: { st: '{value}' }, separator: ';', exactness: exact }`, 'joined', "'{values}'"],
    ['item', `{ item: { st: 'in {values}' }, exactness: exact }`, 'no part of a text', "'{values}'"],
    ['repeats', `{ query: { st: '{value}' }, repeats: true, exactness: exact }`, 'for all', "'{values}'"],
    ['expr', `{ expr: 'st = {value}', escape: sql, exactness: exact }`, '{value}', '{values}'],
  ])('refuses a file that sends it otherwise than it means: %s', async (_key, filter, message, hint) => {
    const wrong = start(`filters: { status: { in: ${filter} } }`).catch(String);
    expect(await wrong).toMatch(/"line":18,/);
    expect(await wrong).toContain(message);
    expect(await wrong).toContain(hint);
  });

  it.each([
    ['uses all values', all, 'agrees|note'],
    ['keeps the first alone', (values: readonly string[]) => values.slice(0, 1), 'DIFFERS'],
    ['keeps the last alone', (values: readonly string[]) => values.slice(-1), 'DIFFERS'],
  ])('is probed by doctor, with two values at a time: the source %s', async (_what, uses, verdict) => {
    upstream.become(serving((request) => serve(request, uses)));
    const folder = endAfterTest(createFolder('several'));
    const place = (name: string) => join(folder.path, name);
    mkdirSync(place('sources'));
    writeFileSync(place('contract.yaml'), CONTRACT);
    writeFileSync(
      place('portico.yaml'),
      'portico: 1\nresources: { orders: { source: shop, public: true } }\n',
    );
    writeFileSync(place('sources/shop.yaml'), source(upstream.origin, FILTERS));
    const { out } = await runCommand(['--config', place('portico.yaml'), 'doctor', 'shop']);
    for (const field of ['id', 'status', 'items', 'customer'])
      expect(out).toMatch(new RegExp(`(?:${verdict}) +filter ${field} in `));
  });
});
