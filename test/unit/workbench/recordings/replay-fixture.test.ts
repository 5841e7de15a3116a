import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aloneProcess } from '../../../support/command/single-process.ts';
import { runCli } from '../../../../src/cli/program.ts';

const SOURCE = `
source: 1
name: shop
net: { baseUrl: '\${SHOP_URL}/v2' }
auth: { kind: header, name: X-Key, value: '\${SHOP_KEY}' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items, query: { $from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 40 }
      total: { at: total }
      items: rows
      order: id
      map: { id: id, name: name, description: text, price: price, category: category }
`;

const row = '{"id":7,"name":"Rope","text":null,"price":19.90,"category":"Tools"}';
const record = '{ id: prod_7, name: Rope, description: null, price: 19.90, category: Tools }';

/** A case; what differs from one that passes is given. */
const caseText = ({
  target = '/items?$from=0&n=5',
  reply = `{"total":1,"rows":[${row}]}`,
  expect: expected = `{ status: 200, body: { data: [${record}], meta: { total: 1, page: 1, limit: 5 } } }`,
} = {}) => `
request: GET /v1/products?limit=5
upstream:
  - request: { target: '${target}' }
    reply: { headers: { Content-Type: application/json }, body: '${reply}' }
expect: ${expected}
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-fixtures-'));
  mkdirSync(join(folder, 'fixtures', 'shop'), { recursive: true });
  writeFileSync(join(folder, 'shop.yaml'), SOURCE);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], texts: Readonly<Record<string, string>> = {}) {
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(folder, 'fixtures', 'shop', `${name}.yaml`), text);
  let out = '';
  let err = '';
  const code = await runCli([...args, '--source', join(folder, 'shop.yaml')], {
    env: {},
    nodeVersion: 'v24',
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    openLog: () => ({ write: () => undefined }),
    processes: aloneProcess,
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

describe('portico test --source', () => {
  it('passes a case whose requests and answer are as recorded, without an environment', async () => {
    expect(await run(['test'], { page: caseText() })).toEqual({
      code: 0,
      out: 'ok   shop page\n1 passed, 0 failed\n',
      err: '',
    });
  });

  it('tells what was asked and not expected, and what was expected and not asked', async () => {
    const { code, out } = await run(['test'], { page: caseText({ target: '/items?$from=1&n=5' }) });
    expect(code).toBe(1);
    expect(out).toContain('asked, but not expected: GET /items?%24from=0&n=5');
    expect(out).toContain('expected, but not asked: GET /items?$from=1&n=5');
    expect(out).toContain('0 passed, 1 failed');
  });

  it('compares numbers by their digits and names every place that differs', async () => {
    const expected = `{ status: 200, body: { data: [${record.replace('19.90', '19.9')}], meta: { total: 2, page: 1, limit: 5 } } }`;
    const { code, out } = await run(['test'], { page: caseText({ expect: expected }) });
    expect(code).toBe(1);
    expect(out).toContain('body.data[0].price: expected 19.9, got 19.90');
    expect(out).toContain('body.meta.total: expected 2, got 1');
  });

  it('tells why an answer is an error, and takes the code of an expected one', async () => {
    const reply = '{"total":1}';
    const expected = '{ status: 502, error: upstream_invalid_response }';
    const { code, out } = await run(['test'], {
      broken: caseText({ reply }),
      expected: caseText({ reply, expect: expected }),
    });
    expect(code).toBe(1);
    expect(out).toContain('the answer is an error: upstream_invalid_response: no list of rows at "rows"');
    expect(out).toContain('ok   shop expected');
  });

  it('prints the results as JSON', async () => {
    const { out } = await run(['test', '--json'], { page: caseText() });
    expect(JSON.parse(out)).toMatchObject([{ source: 'shop', name: 'page', passed: true, differences: [] }]);
  });

  it('fails where there is nothing to replay', async () => {
    expect(await run(['test'])).toMatchObject({ code: 1, out: '0 passed, 0 failed\n' });
  });

  it('refuses a case that is none, with its place', async () => {
    const { code, err } = await run(['test'], { page: caseText().replace('GET /v1', 'PUT /v1') });
    expect(code).toBe(78);
    expect(err).toMatch(/fixtures\/shop\/page\.yaml:2:\d+: request: expected a request such as GET/);
  });

  it('refuses the name of a source that there is not', async () => {
    expect(await run(['test', 'shpo'], { page: caseText() })).toMatchObject({
      code: 64,
      err: 'portico: no source is named "shpo"; did you mean "shop"?\n',
    });
  });
});

describe('portico check --source', () => {
  it('checks a source whose variables have no values', async () => {
    expect(await run(['check'])).toMatchObject({ code: 0, err: '' });
  });

  it('reports what is wrong with it', async () => {
    writeFileSync(join(folder, 'shop.yaml'), SOURCE.replace('{offset}', '{offzet}'));
    const { code, err } = await run(['check']);
    expect(code).toBe(78);
    expect(err).toMatch(/shop\.yaml:11:\d+: .*unknown variable \{offzet\}/);
  });
});
