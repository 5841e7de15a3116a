import { writeFileSync } from 'node:fs';
import { fixtureTexts } from '../../support/command/fixture-texts.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

let env: Record<string, string>;
const config = startForEach(copyConfig);
beforeEach(() => {
  config.drop('fixtures');
  env = {};
});

const record = (...args: string[]) => runCommand(['--config', config.file, 'test', '--record', ...args], env);
const replay = () => runCommand(['--config', config.file, 'test'], {});

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

describe('portico test --record, of a source', () => {
  let service: ScriptedUpstream;
  let write: (some: typeof rows, total: number, query: URLSearchParams) => string | Buffer;
  let type: string;
  beforeEach(async () => {
    type = 'application/json';
    service = endAfterTest(
      await startUpstream(
        serving(({ query }) => {
          const all = rows.filter(({ category }) => category === (query.get('cat') ?? category));
          const from = Number(query.get('from'));
          const some = all.slice(from, from + Number(query.get('n') ?? 100));
          return { headers: { 'Content-Type': type }, body: write(some, all.length, query) };
        }),
      ),
    );
    env = { SHOP_URL: service.origin };
  });

  async function masked(source: string, ...requests: string[]) {
    writeFileSync(config.file.replace('portico.yaml', 'sources/shop.yaml'), source);
    const run = await record('shop', ...requests);
    return { ...run, text: run.code === 0 ? fixtureTexts(config.file, 'shop') : '' };
  }

  const SECRET = /Anton|Berta|Gruber|anton-id|Garden|, born|Öttl/;

  it('with ids and categories of its own is asked for the masked ones, in the same order', async () => {
    write = (some, total) => JSON.stringify({ total, rows: some });
    const { out, code, text } = await masked(
      sourceText(PAGED),
      '/v1/products?limit=3',
      '/v1/products?category=Garden%20chairs&limit=2',
      '/v1/products?min_price=30',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    const [, asked = '?'] = /target: \/items\?from=0&n=2&cat=([A-Z][a-z]{5}%20[a-z]{6})/.exec(text) ?? [];
    expect(text).toContain(`request: GET /v1/products?category=${asked}&limit=2`);
    expect(text.match(new RegExp(`category: ${decodeURIComponent(asked)}$`, 'gm'))).toHaveLength(2);
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
    const { out, code, text } = await masked(xml, '/v1/products?limit=3', '/v1/products?max_price=30');
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
    const { out, code, text } = await masked(
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

  it('that sorts keeps its order with masked values', async () => {
    write = (some, total) => JSON.stringify({ total, rows: some });
    const { out, code, text } = await masked(
      people('name'),
      '/v1/users?sort=name&limit=5',
      '/v1/users?limit=4',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect((await replay()).out).toContain('2 passed, 0 failed');
  });

  it('that sorts by what several values make up keeps its order, too', async () => {
    write = (some, total) => JSON.stringify({ total, rows: some });
    const several = people("{ from: [name, category], as: [{ join: ' ' }] }");
    const { code, text } = await masked(several, '/v1/users?sort=name&limit=6');
    expect(code).toBe(0);
    expect(text).not.toMatch(SECRET);
    expect((await replay()).out).toContain('1 passed, 0 failed');
  });

  it('that sorts by the end of a text is not recorded where the order of the masked ends breaks its claim', async () => {
    const lastName = ({ name }: (typeof rows)[number]) => name.split(' ')[1]!;
    write = (some, total) =>
      JSON.stringify({ total, rows: [...some].sort((a, b) => (lastName(a) < lastName(b) ? -1 : 1)) });
    const byLast = people("{ from: name, as: [{ match: '(\\S+)$' }] }").replace('order: id', 'order: source');
    const { out, code } = await masked(byLast, '/v1/users?sort=name&limit=6');
    expect(code).toBe(1);
    expect(out).toContain('with masked values the source would be asked or read otherwise; --whole keeps');
    expect(out).not.toMatch(SECRET);
  });

  it('is kept as it replied with --whole, which says so', async () => {
    write = (some, total) => JSON.stringify({ total, rows: some });
    const { err, text } = await masked(sourceText(PAGED), '/v1/products?limit=3', '--whole');
    expect(err).toContain('--whole keeps every value of the replies, personal data included');
    expect(text).toContain('name: Anton Meier');
    expect(text).toContain('Recorded by `portico test --record --whole`: every value is as it came.');
    expect((await replay()).out).toContain('1 passed, 0 failed');
  });

  it('gives away nothing in links to the next window, in fields that are not read, or in keys', async () => {
    write = (_some, _total, query) => {
      const isSecond = query.has('after');
      const some = isSecond ? rows.slice(3) : rows.slice(0, 3);
      const more = (name: string) => ({ phone: `0171 ${name}`, by: { [`${name}@x.test`]: 1 } });
      const next = isSecond ? null : 'http://internal.host.test/items?after=anton-id&n=40';
      return JSON.stringify({ rows: some.map((row) => ({ ...row, ...more(row.name) })), next });
    };
    const linked = sourceText(`request: { path: /items, query: { n: '{limit}' } }
      window: { kind: link, sizeMax: 40, next: { at: next }, origin: any }
      items: rows
      order: id`);
    const { out, code, text } = await masked(linked, '/v1/products?limit=6');
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect(text).not.toMatch(/internal|0171|x\.test/);
    expect(text).toMatch(/target: \/items\?after=(?!anton)[a-z]{5}-[a-z]{2}&n=40/);
    expect((await replay()).out).toContain('1 passed, 0 failed');
  });

  it('keeps a total whose key is quoted in the path', async () => {
    write = (some, total) => JSON.stringify({ '@odata.count': total, value: some });
    const odata = PAGED.replace('at: total', `at: '"@odata.count"'`).replace('items: rows', 'items: value');
    const { out, code, text } = await masked(sourceText(odata), '/v1/products?limit=3');
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect(text).toContain('"@odata.count":6');
    expect((await replay()).out).toContain('1 passed, 0 failed');
  });

  it('that names the parameters of its next window is asked for the masked ones', async () => {
    write = (_some, _total, query) => {
      const start = Math.max(
        0,
        rows.findIndex(({ id }) => query.get('from') === `from ${id}`),
      );
      const next = rows[start + 2];
      const more = next && { continue: { from: `from ${next.id}`, by: 'id' } };
      return JSON.stringify({ rows: rows.slice(start, start + 2), ...more });
    };
    const continued = sourceText(`request: { path: /items, query: { n: '{limit}' } }
      window: { kind: continue, sizeMax: 40, next: continue, more: { at: continue, present: true } }
      items: rows
      order: id`);
    const { out, code, text } = await masked(continued, '/v1/products?limit=6');
    expect([code, out]).toEqual([0, expect.stringContaining('recorded')]);
    expect(text).not.toMatch(SECRET);
    expect((await replay()).out).toContain('1 passed, 0 failed');
  });

  it('in a character set that cannot be written is refused', async () => {
    type = 'application/json; charset=utf-16le';
    const wide = sourceText(`${WHOLE}''`);
    write = (some) => Buffer.from(JSON.stringify(some), 'utf16le');
    const { out, code } = await masked(wide, '/v1/products');
    expect(code).toBe(1);
    expect(out).toContain('bodies in utf-16le cannot be masked');
  });
});
