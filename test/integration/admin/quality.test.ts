import { type HttpReply, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { readFileSync } from 'node:fs';
import type { ResourceQuality } from '../../../src/pipeline/quality.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const FILE = 'config/sources/catalog.yaml';
/** The line, from 1, of the catalogue's file in which a text stands first. */
const lineOf = (text: string) =>
  readFileSync(FILE, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1;

const MARKER = 'SECRET-VALUE';
const rows = [
  { sku: '1', nm: 'Rope', txt: '', prc: '1990', cc: 'TOY' },
  { sku: '2', nm: 'Lamp', prc: MARKER, cc: 'HOM' },
  { sku: '3', nm: 'Vase', txt: 'x', prc: 'n/a', cc: MARKER },
];

const json = (body: unknown): HttpReply => ({ headers: { 'X-Result-Count': '3' }, body });
/** Has the service reply with this from now on. */
const replyWith = (reply: HttpReply) => service.become(serving(() => reply));

const service = startForEach(() => startUpstream(serving(() => json(rows))));
const stack = startForEach(() => startStack({ upstream: service.origin }));

async function adminText(path: string): Promise<string> {
  return (await fetch(stack.adminUrl + path)).text();
}

async function productsQuality(): Promise<ResourceQuality> {
  const { sources } = JSON.parse(await adminText('/api/quality')) as { sources: ResourceQuality[] };
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

  it('is in the metrics, beside the number of records', async () => {
    await stack.get('/v1/products');
    const text = await adminText('/metrics');

    for (const line of [
      'portico_records_total{source="catalog",resource="products",view="list"} 3',
      'portico_unreadable_fields_total{source="catalog",field="products.price",reason="unreadable"} 1',
      'portico_unreadable_fields_total{source="catalog",field="products.description",reason="missing"} 1',
    ])
      expect(text).toContain(line);
  });

  it('names the line of the claim that a reply contradicted, also in the log', async () => {
    const answer = await stack.get('/v1/products?category=Toys');
    expect(((await answer.json()) as { meta: object }).meta).toMatchObject({ total: 1 });

    const place = { file: FILE, line: lineOf('eq: {') };
    expect((await productsQuality()).contradicted).toMatchObject([{ claim: 'filter.category.eq', ...place }]);
    const logged = stack.log.map((line) => JSON.parse(line) as object);
    expect(logged).toContainEqual(
      expect.objectContaining({ source: 'catalog', capability: 'filter.category.eq', ...place }),
    );
    expect(await adminText('/metrics')).toContain(
      'portico_guard_trips_total{source="catalog",resource="products",rule="filter.category.eq"} 1',
    );
  });

  it.each<[string, string, HttpReply]>([
    ['syntax', 'the body is not JSON', { body: '[{' }],
    ['content_type', 'content type "text/html"', { headers: { 'Content-Type': 'text/html' }, body: '' }],
    ['rows', 'no list of rows at ""', json({})],
    ['id', 'a record has no usable id at "sku"', json([{ sku: 'x' }])],
    ['outcome', 'no outcome rule fits the reply (HTTP 302)', { status: 302, body: {} }],
  ])('counts a reply that cannot be used once, by its reason: %s', async (reason, detail, answer) => {
    replyWith(answer);
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
  });

  it('counts replies whose total cannot be read', async () => {
    replyWith({ body: rows });
    await stack.get('/v1/products');
    expect((await productsQuality()).views[0]!.totalsLost).toBeGreaterThan(0);
  });

  it('holds no value of a record', async () => {
    await stack.get('/v1/products');
    replyWith(json([{ ...rows[0], sku: MARKER }]));
    await stack.get('/v1/products?limit=3');

    expect((await productsQuality()).invalidReplies).toHaveLength(1);
    expect(
      (await adminText('/api/quality')) + (await adminText('/metrics')) + stack.log.join(),
    ).not.toContain(MARKER);
  });
});
