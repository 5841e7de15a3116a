import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/command/run-command.ts';
import { type ConfigCopy, copyConfig } from '../../support/gateway/config-copy.ts';
import { createSampleServices, fewProducts, fewUsers } from '../../support/gateway/sample-services.ts';

let config: ConfigCopy;
let env: Record<string, string>;
beforeEach(() => {
  config = copyConfig();
  config.drop('fixtures');
  env = {};
});
afterEach(() => config.remove());

const record = (...args: string[]) =>
  runCommand(['--config', config.file, 'test', '--record', '--scramble', ...args], env);
const replay = () => runCommand(['--config', config.file, 'test'], {});

/** Everything in the fixtures of a source, with the bodies that are written as bytes. */
function textsOf(source: string): string {
  const folder = config.file.replace('portico.yaml', `fixtures/${source}`);
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const bytes = texts.flatMap((text) =>
    [...text.matchAll(/base64: (\S+)/g)].map(([, base64 = '']) =>
      Buffer.from(base64, 'base64').toString('latin1'),
    ),
  );
  return [...texts, ...bytes].join('\n');
}

describe('portico test --record --scramble', () => {
  const CANARY = 'CanaryOfASecret77';

  it('keeps no text of the sample services, and replays', async () => {
    const services = createSampleServices({ canary: CANARY });
    env = { ...(await services.listen()) };
    const [users, products] = [await record('crm'), await record('catalog')];
    await services.close();
    expect([users.code, products.code]).toEqual([0, 0]);
    expect((await replay()).out).toContain('19 passed, 0 failed');

    const text = textsOf('crm') + textsOf('catalog');
    expect(text).not.toContain(CANARY);
    const words = [
      ...fewUsers.flatMap(({ truth }) => [truth.email, truth.name, truth.profile.bio, truth.created_at]),
      ...fewProducts.flatMap(({ truth }) => [truth.name, truth.description]),
    ].filter((word) => (word ?? '').length > 4);
    expect(words.length).toBeGreaterThan(100);
    expect(words.filter((word) => text.includes(word!))).toEqual([]);
  });

  it('leaves ids, codes and counts, and the same value the same everywhere', async () => {
    const services = createSampleServices({});
    env = { ...(await services.listen()) };
    await record(
      'catalog',
      '/v1/products?limit=20',
      '/v1/products?category=Books&limit=5',
      '/v1/products?min_price=20',
    );
    const { err } = await record('catalog', '/v1/products?max_price=20');
    await services.close();
    expect(err).toMatch(/^\d+ values stay, because none of their form could stand for them: .*HOM/);
    const { out } = await replay();
    expect(out).toContain('4 passed, 0 failed');
    const folder = config.file.replace('portico.yaml', 'fixtures/catalog');
    const answer = (name: string) =>
      readFileSync(join(folder, `products-${name}.yaml`), 'utf8').split('expect:')[1]!;
    const records = (name: string) =>
      new Map([...answer(name).matchAll(/id: (\w+)\n +name: (.*)\n/g)].map(([, id, text]) => [id, text]));
    const [page, books] = [records('limit-20'), records('category-books-limit-5')];
    expect([...page.keys()]).toEqual(fewProducts.slice(0, 20).map(({ truth }) => truth.id));
    for (const [id, name] of books) if (page.has(id)) expect(page.get(id)).toBe(name);
    const above = fewProducts.filter(({ truth }) => Number(truth.price ?? 'NaN') >= 20).length;
    expect(answer('min-price-20')).toContain(`total: ${above}`);
  });
});

/** People of a service that sorts by name and filters by category itself, and whose ids are names. */
const rows = ['Anton Meier', 'Berta Huber', 'Cäsar Öttl', 'Dora Wagner', 'Emil Gruber', 'Frieda Bauer'].map(
  (name, index) => ({
    id: `${name.split(' ')[0]!.toLowerCase()}-id`,
    name,
    text: `Text of ${name}, born 198${index}`,
    price: `${index}4.50`,
    category: index % 2 === 0 ? 'Garden chairs' : 'Kitchen tables',
  }),
);

const map = 'map: { id: id, name: name, description: text, price: price, category: category }';
const sourceText = (list: string, decode = '') => `
source: 1
name: shop
net: { baseUrl: '\${SHOP_URL:-http://127.0.0.1:1}' }
${decode}
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: text }
    list:
      ${list}
      ${map}
`;

const PAGED = `request: { path: /items, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 40 }
      total: { at: total }
      items: rows
      order: id
      filters: { category: { eq: { query: { cat: '{value}' }, exactness: exact } } }`;
const WHOLE = `request: { path: /items }
      window: { kind: none }
      items: `;

describe('a source', () => {
  let service: ScriptedUpstream;
  let write: (some: typeof rows, total: number) => string | Buffer;
  let type: string;
  beforeEach(async () => {
    type = 'application/json';
    service = await startUpstream(
      serving(({ query }) => {
        const all = rows.filter(({ category }) => category === (query.get('cat') ?? category));
        const from = Number(query.get('from'));
        const some = all.slice(from, from + Number(query.get('n') ?? 100));
        return { headers: { 'Content-Type': type }, body: write(some, all.length) };
      }),
    );
    env = { SHOP_URL: service.origin };
  });
  afterEach(() => service.close());

  async function scrambled(source: string, ...requests: string[]) {
    writeFileSync(config.file.replace('portico.yaml', 'sources/shop.yaml'), source);
    const run = await record('shop', ...requests);
    return { ...run, text: run.code === 0 ? textsOf('shop') : '' };
  }

  const SECRET = /Anton|Berta|Gruber|anton-id|Garden|born|Öttl/;

  it('with ids and categories of its own is asked for the made-up ones, in the same order', async () => {
    write = (some, total) => JSON.stringify({ total, rows: some });
    const { out, code, text } = await scrambled(
      sourceText(PAGED),
      '/v1/products?limit=3',
      '/v1/products?category=Garden%20chairs&limit=2',
      '/v1/products?min_price=30',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect(text).toMatch(/target: \/items\?from=0&n=2&cat=[A-Z][a-z]{5}%20[a-z]{6}/);
    expect((await replay()).out).toContain('3 passed, 0 failed');
  });

  it('of XML is rewritten in texts and attributes', async () => {
    type = 'text/xml; charset=iso-8859-1';
    write = (some) =>
      `<?xml version="1.0"?><!-- Anton --><list>${some
        .map(
          (row) =>
            `<row login="${row.id}"><id>${row.id}</id><name><![CDATA[${row.name}]]></name><text> ${row.text} &amp; Anton</text><price>${row.price}</price><category>${row.category}</category></row>`,
        )
        .join('\n')}</list>`;
    const xml = sourceText(`${WHOLE}list.row`, 'decode: { format: xml, charset: utf-8, arrays: [list.row] }');
    const { out, code, text } = await scrambled(xml, '/v1/products?limit=3', '/v1/products?max_price=30');
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect((await replay()).out).toContain('2 passed, 0 failed');
  });

  it('of CSV is rewritten behind the names of its columns', async () => {
    type = 'text/csv; charset=windows-1252';
    write = (some) =>
      [
        'id;name;text;price;category',
        ...some.map((row) => `${row.id};"${row.name}";"a ""${row.text}"";";${row.price};${row.category}`),
      ].join('\r\n');
    const csv = sourceText(`${WHOLE}''`, "decode: { format: csv, charset: utf-8, delimiter: ';' }");
    const { out, code, text } = await scrambled(
      csv,
      '/v1/products?limit=3',
      '/v1/products?category=Garden%20chairs',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect(text).toContain('id;name;text;price;category');
    expect((await replay()).out).toContain('2 passed, 0 failed');
  });

  const people = (name: string) => `
source: 1
name: shop
net: { baseUrl: '\${SHOP_URL:-http://127.0.0.1:1}' }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: text }
    list:
      request: { path: /items, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 40 }
      total: { at: total }
      items: rows
      order: id
      sort: { query: { by: '{column}' }, columns: { name: { column: name, directions: [ascending] } } }
      map: { id: id, name: ${name}, email: text, created_at: null }
    get:
      request: { path: '/item/{id}' }
      item: ''
      map: { id: id, name: name, email: text, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

  it('that sorts keeps its order with made-up values', async () => {
    write = (some, total) => JSON.stringify({ total, rows: some });
    const { out, code, text } = await scrambled(
      people('name'),
      '/v1/users?sort=name&limit=5',
      '/v1/users?limit=4',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect((await replay()).out).toContain('2 passed, 0 failed');
  });

  it('that sorts by what several values make up is refused, with the claim that would break', async () => {
    write = (some, total) => JSON.stringify({ total, rows: some });
    const several = people("{ from: [name, category], as: [{ join: ' ' }] }");
    const { out, code } = await scrambled(several, '/v1/users?sort=name&limit=6');
    expect(code).toBe(1);
    expect(out).toContain(
      'made-up values break what the request relies on (sort.name.ascending); record it without',
    );
    expect(out).not.toMatch(SECRET);
  });

  it('in a character set that cannot be written is refused', async () => {
    type = 'application/json; charset=utf-16le';
    const wide = sourceText(`${WHOLE}''`);
    write = (some) => Buffer.from(JSON.stringify(some), 'utf16le');
    const { out, code } = await scrambled(wide, '/v1/products');
    expect(code).toBe(1);
    expect(out).toContain('bodies in utf-16le cannot be written');
  });
});
