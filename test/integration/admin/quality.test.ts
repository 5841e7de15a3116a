import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import type { ResourceQuality } from '../../../src/pipeline/quality.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';

const FILE = 'config/sources/catalog.yaml';
/** The line, from 1, of the catalogue's file in which a text stands first. */
const lineOf = (text: string) =>
  readFileSync(FILE, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1;

const CANARY = 'SECRET-VALUE';
const rows = [
  { sku: '1', nm: 'Rope', txt: '', prc: '1990', cc: 'TOY' },
  { sku: '2', nm: 'Lamp', prc: CANARY, cc: 'HOM' },
  { sku: '3', nm: 'Vase', txt: 'x', prc: 'n/a', cc: CANARY },
];

let stack: Stack;
let service: Server;
let reply: RequestListener;

const json =
  (body: unknown): RequestListener =>
  (_req, res) =>
    res
      .writeHead(200, { 'content-type': 'application/json', 'x-result-count': '3' })
      .end(JSON.stringify(body));

beforeEach(async () => {
  reply = json(rows);
  service = createServer((req, res) => reply(req, res)).listen(0, '127.0.0.1');
  await once(service, 'listening');
  stack = await startStack({ upstream: `http://127.0.0.1:${(service.address() as AddressInfo).port}` });
});
afterEach(async () => {
  await stack.close();
  service.close();
});

async function adminText(path: string): Promise<string> {
  return (await fetch(stack.adminUrl + path)).text();
}

async function productsQuality(): Promise<ResourceQuality> {
  const { sources } = JSON.parse(await adminText('/quality')) as { sources: ResourceQuality[] };
  return sources.find(({ resource }) => resource === 'products')!;
}

describe('the quality of a source', () => {
  it('counts, per field, what is unknown, missing and unreadable, and by which step', async () => {
    await stack.get('/v1/products');
    const { views } = await productsQuality();
    const fields = new Map(views[0]!.fields.map(({ field, ...counts }) => [field, counts]));

    expect(views).toMatchObject([{ view: 'list', records: 3, dropped: 0 }]);
    expect(fields.get('name')).toMatchObject({ null: 0, missing: 0, unreadable: 0, steps: {} });
    expect(fields.get('description')).toMatchObject({ null: 2, missing: 1, unreadable: 0 });
    expect(fields.get('price')).toEqual({
      from: ['prc'],
      line: lineOf('from: prc'),
      null: 2,
      missing: 0,
      unreadable: 1,
      steps: { 'as[1] cents': 1 },
    });
    expect(fields.get('category')).toMatchObject({ unreadable: 1, steps: { 'as[0] enum': 1 } });
  });

  it('is in the metrics, with the records that make it a share', async () => {
    await stack.get('/v1/products');
    const text = await adminText('/metrics');

    for (const line of [
      'portico_records_total{source="catalog",resource="products",view="list"} 3',
      'portico_unreadable_fields_total{source="catalog",field="products.price",reason="unreadable"} 1',
      'portico_unreadable_fields_total{source="catalog",field="products.description",reason="missing"} 1',
    ])
      expect(text).toContain(line);
  });

  it('names the line of a claim that a reply contradicted, in the log too', async () => {
    const answer = await stack.get('/v1/products?category=Toys');
    expect(((await answer.json()) as { meta: object }).meta).toMatchObject({ total: 1 });

    const place = { file: FILE, line: lineOf('eq: {') };
    expect((await productsQuality()).contradicted).toMatchObject([{ claim: 'filter.category.eq', ...place }]);
    const told = stack.log.map((line) => JSON.parse(line) as object);
    expect(told).toContainEqual(
      expect.objectContaining({ source: 'catalog', capability: 'filter.category.eq', ...place }),
    );
    expect(await adminText('/metrics')).toContain(
      'portico_guard_trips_total{source="catalog",resource="products",rule="filter.category.eq"} 1',
    );
  });

  it.each([
    [
      'syntax',
      'the body is not JSON',
      (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('[{'),
    ],
    [
      'content_type',
      'content type "text/html"',
      (res) => res.writeHead(200, { 'content-type': 'text/html' }).end(),
    ],
    ['rows', 'no list of rows at ""', (res) => json({})(res.req, res)],
    ['id', 'a record has no usable id at "sku"', (res) => json([{ sku: 'x' }])(res.req, res)],
    [
      'outcome',
      'no outcome rule fits the reply (HTTP 302)',
      (res) => res.writeHead(302, { 'content-type': 'application/json' }).end('{}'),
    ],
  ] satisfies [string, string, (res: Parameters<RequestListener>[1]) => void][])(
    'counts a reply that cannot be used once, by its reason: %s',
    async (reason, detail, answer) => {
      reply = (_req, res) => answer(res);
      expect((await stack.get('/v1/products')).status).toBe(502);

      const { invalidReplies } = await productsQuality();
      expect(invalidReplies).toMatchObject([
        { reason, count: 1, last: { detail: expect.stringContaining(detail) as string } },
      ]);
      expect(await adminText('/metrics')).toContain(
        `portico_invalid_replies_total{source="catalog",resource="products",reason="${reason}"} 1`,
      );
      const line = stack.log.map((text) => JSON.parse(text) as { code?: string }).find(({ code }) => code);
      expect(line).toMatchObject({ reason, detail: expect.stringContaining(detail) as string });
    },
  );

  it('counts replies whose total cannot be read', async () => {
    reply = (_req, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows));
    await stack.get('/v1/products');
    expect((await productsQuality()).views[0]!.totalsLost).toBeGreaterThan(0);
  });

  it('holds no value of a record', async () => {
    await stack.get('/v1/products');
    reply = json([{ ...rows[0], sku: CANARY }]);
    await stack.get('/v1/products?limit=3');

    expect((await productsQuality()).invalidReplies).toHaveLength(1);
    expect((await adminText('/quality')) + (await adminText('/metrics')) + stack.log.join()).not.toContain(
      CANARY,
    );
  });
});
