import { createCatalogService } from '../../../../src/cli/demo/catalog-service.ts';
import { sampleCredentials } from '../../../../src/cli/demo/serve.ts';
import { generateProducts } from '../../../../src/cli/demo/data/generate-products.ts';
import { type Answer, ask } from './ask.ts';

const products = generateProducts({ seed: 1 });
const skus = products.map((product) => product.legacy.sku);
const service = createCatalogService({
  products,
  credentials: sampleCredentials.catalog,
  secretMarker: '~canary~',
});
const key = { 'X-Catalogue-Key': 'catalogue-sample-key' };
let base: string;

beforeAll(async () => {
  base = (await service.listen()).url;
});
afterAll(() => service.close());

function items(query: string): Promise<Answer> {
  return ask(`${base}/catalogue/items${query}`, { headers: key });
}

function rowsOf({ bytes }: Answer): Record<string, string | null>[] {
  return JSON.parse(bytes.toString('latin1')) as Record<string, string | null>[];
}

function skusOf(answer: Answer): unknown[] {
  return rowsOf(answer).map((row) => row['sku']);
}

describe('the pages of the catalogue', () => {
  it.each([
    ['', 0, 20],
    ['?pg=0&ps=20', 0, 20],
    ['?pg=2&ps=50', 100, 50],
    ['?pg=1&ps=100', 100, 100],
    ['?pg=19&ps=100', 1_900, 100],
    ['?pg=x', 0, 20],
    ['?pg=-1', 0, 20],
    ['?sort=nm&min_price=3&page=7', 0, 20],
  ])(
    '%s is a bare array of the rows from %d on, %d of them, in the order of sku',
    async (query, from, size) => {
      const answer = await items(query);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-result-count')).toBe('2000');
      expect(skusOf(answer)).toEqual(skus.slice(from, from + size));
    },
  );

  it.each(['10', '21', '200', '0', '020', '', 'abc', '-20', '20.0'])(
    'refuse the size "%s" with 400',
    async (ps) => {
      const { status, headers, bytes } = await items(`?ps=${ps}`);
      expect([status, bytes.toString()]).toEqual([400, '{"fault":"PS"}']);
      expect(headers.has('x-result-count')).toBe(false);
    },
  );

  it.each(['?pg=100', '?pg=20&ps=100', `?pg=${'9'.repeat(400)}`, '?pg=1&cat=NONE', '?pg=2&ps=20&cat=CLO'])(
    'past the end, %s, are 404 without a total',
    async (query) => {
      const { status, headers, bytes } = await items(query);
      expect([status, bytes.toString()]).toEqual([404, '{"fault":"NOPAGE"}']);
      expect(headers.has('x-result-count')).toBe(false);
    },
  );

  it('of nothing found are an empty first page with a total of 0', async () => {
    const { status, headers, bytes } = await items('?cat=NONE');
    expect([status, bytes.toString(), headers.get('x-result-count')]).toEqual([200, '[]', '0']);
  });

  it('of a category hold and count its rows only', async () => {
    const expected = products.filter(({ legacy }) => legacy.cc === 'FUR').map(({ legacy }) => legacy.sku);
    const answer = await items('?cat=FUR&ps=50&pg=1');
    expect(answer.headers.get('x-result-count')).toBe(String(expected.length));
    expect(skusOf(answer)).toEqual(expected.slice(50, 100));
  });

  it('take the category code to the letter, and an empty one as none', async () => {
    expect((await items('?cat=fur')).headers.get('x-result-count')).toBe('0');
    expect((await items('?cat=')).headers.get('x-result-count')).toBe('2000');
    expect(Number((await items('?cat=ZZZ')).headers.get('x-result-count'))).toBeGreaterThan(0);
  });
});

describe('the rows of the catalogue', () => {
  it('walked to the end are the generated ones, with the canary in every secret', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, (_, page) => items(`?ps=100&pg=${page}`)));
    const stored = products.map(({ legacy }) => ({
      ...legacy,
      buyPrc: `${legacy.buyPrc}~canary~`,
      supplierKey: `${legacy.supplierKey}~canary~`,
    }));
    expect(pages.flatMap(rowsOf)).toEqual(JSON.parse(JSON.stringify(stored)));
  });

  it('are Latin-1 on the wire: one byte a letter, which is not UTF-8', async () => {
    const { headers, bytes } = await items('?ps=100');
    expect(headers.get('content-type')).toBe('application/json; charset=ISO-8859-1');
    expect(Number(headers.get('content-length'))).toBe(bytes.length);
    for (const byte of [0xe9, 0xfc, 0xf1, 0xa3]) expect(bytes.includes(byte)).toBe(true);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow('not valid');
  });

  it('leave out absent texts and codes, and write null and empty ones', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, (_, page) => items(`?ps=100&pg=${page}`)));
    const rows = pages.flatMap(rowsOf);
    for (const field of ['txt', 'cc']) {
      expect(rows.some((row) => !(field in row))).toBe(true);
      expect(rows.some((row) => row[field] === null)).toBe(true);
    }
    expect(rows.some((row) => row['txt'] === '')).toBe(true);
    expect(rows.every((row) => 'nm' in row && 'prc' in row)).toBe(true);
  });
});

describe('the edges of the catalogue', () => {
  it.each([[{}], [{ 'X-Catalogue-Key': 'wrong' }], [{ authorization: 'Bearer catalogue-sample-key' }]])(
    'refuses the key %j with a plain 403',
    async (headers) => {
      const answer = await ask(`${base}/catalogue/items`, { headers });
      expect([answer.status, answer.bytes.toString()]).toEqual([403, 'Forbidden']);
      expect(answer.headers.get('content-type')).toBe('text/plain');
    },
  );

  it('answers a plain 404 to any other path', async () => {
    const { status, headers } = await ask(`${base}/catalogue`, { headers: key });
    expect([status, headers.get('content-type')]).toEqual([404, 'text/plain']);
  });
});
