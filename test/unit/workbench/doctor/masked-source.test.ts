import { compileAdapter } from '../../../../src/source/adapter/compile.ts';
import { maskedSpec, callToDisplay } from '../../../../src/workbench/doctor/session/masked-source.ts';
import { loadSources } from '../../../../src/config/load.ts';
import type { Problem } from '../../../../src/config/yaml/problem.ts';
import { queryOf } from '../../../support/pipeline/source-text.ts';
import { resources } from '../../../support/reference.ts';

const { products } = resources;

const CANARY = 'canary-4711';

/** The first call of a source, as it is shown. */
function shownOf(parts: string, request: string, query = '', list = '') {
  const text = `
source: 1
name: shop
outcomes: [{ status: 200, is: ok }]
${parts}
resources:
  products:
    id: { kind: number }
    list:
      request: ${request}
      window: { kind: offset, sizeMax: 40 }
      items: rows
      ${list}
      filters:
        category: { eq: { query: { cat: '{value}', k2: '\${SECRET}' }, exactness: exact } }
      map: { id: id, name: name, description: description, category: category, price: price }
`;
  const problems: Problem[] = [];
  const env = { variables: { SECRET: CANARY, BASE: 'http://127.0.0.1:1' }, readFile: () => CANARY };
  const source = loadSources([{ file: 'shop.yaml', text }], env, problems).get('shop');
  expect(problems).toEqual([]);
  const masked = maskedSpec(source!);
  const plan = compileAdapter(masked, products, () => undefined)!.list.plan(
    queryOf('products', query),
    new Set(),
  );
  if (plan.kind !== 'scan' || plan.window.kind !== 'random') throw new Error('expected a scan');
  const shown = callToDisplay(masked, plan.request(plan.window.scanCall(0)));
  expect(JSON.stringify(shown)).not.toContain(CANARY);
  return shown;
}

const net = "net: { baseUrl: '${BASE}' }";
const plain = "{ path: /items, query: { n: '{limit}' } }";

describe('a call that is shown', () => {
  it.each([
    ['auth: { kind: basic, user: portico, password: "${SECRET}" }', { Authorization: 'Basic ***' }],
    ['auth: { kind: header, name: X-K, value: literal-secret }', { 'X-K': '***' }],
    [
      'auth: { kind: oauth2, tokenUrl: "http://127.0.0.1:1/t", clientId: me, clientSecret: "${SECRET}" }',
      { Authorization: 'Bearer ***' },
    ],
    [
      'auth: { kind: session, login: { path: /login, json: {} }, cookie: sid, header: Cookie, value: "sid={session}" }',
      { Cookie: 'sid=***' },
    ],
  ])('masks the credential: %s', (auth, headers) => {
    const shown = shownOf(`${net}\n${auth}`, plain);
    expect(shown).toMatchObject({ method: 'GET', url: 'http://127.0.0.1:1/items?n=40', headers });
  });

  it('masks a credential of the query, and leaves the rest of the address to be read', () => {
    const shown = shownOf(`${net}\nauth: { kind: query, name: app, value: "\${SECRET}" }`, plain);
    expect(shown.url).toBe('http://127.0.0.1:1/items?n=40&app=***');
  });

  it('masks what comes from the environment or from a file, wherever it stands', () => {
    const { url, headers } = shownOf(
      "net: { baseUrl: 'http://127.0.0.1:1', headers: { X-One: '${SECRET}' } }",
      "{ path: '/of/${SECRET}/items', query: { a: '${file:/x}', n: '{limit}' }, headers: { X-Two: 'v ${SECRET}' } }",
      'category=Toys',
    );
    expect(url).toBe('http://127.0.0.1:1/of/***/items?a=***&n=40&cat=Toys&k2=***');
    expect(headers).toMatchObject({ 'X-One': '***', 'X-Two': 'v ***' });
  });

  it('masks it in the conditions that always stand, and in what stands where nothing is asked', () => {
    const request =
      "{ method: POST, path: /items, query: { q: '{filter}', s: '{sort}' }, body: { json: ['{filters}'] } }";
    const sort = "sort: { expr: '{column}', none: 'by ${SECRET}', columns: {} }";
    const always = shownOf(
      net,
      request,
      '',
      `filterAlways: ['k=\${SECRET}', { item: { k: '\${SECRET}' } }]\n      ${sort}`,
    );
    expect(decodeURIComponent(always.url)).toContain('?q=k=***&s=by ***');
    expect(always.body).toBe('[[{"k":"***"}]]');
    const none = shownOf(net, request, '', `filterNone: 'k=\${SECRET}'`);
    expect(decodeURIComponent(none.url)).toContain('?q=k=***');
  });

  it('masks constants that stand under the name of a secret, and no template', () => {
    const { url } = shownOf(net, "{ path: /items, query: { api_key: abc, page_token: '{offset}', q: abc } }");
    expect(url).toBe('http://127.0.0.1:1/items?api_key=***&page_token=0&q=abc');
  });

  it.each(['credentials', 'session.user', 'key', 'x-auth-id', 'sid'])(
    'takes %s for the name of a secret',
    (name) => {
      const { url } = shownOf(net, `{ path: /items, query: { '${name}': abc, n: '{limit}' } }`);
      expect(url).toBe(`http://127.0.0.1:1/items?${name}=***&n=40`);
    },
  );

  it.each([
    [
      "json: { params: ['${SECRET}', { password: x, n: '{limit}' }] }",
      '{"params":["***",{"password":"***","n":40}]}',
    ],
    ["form: { pwd: x, n: '{limit}', t: '${SECRET}' }", 'pwd=***&n=40&t=***'],
    [
      'xml: \'<a><w:Password T="1">x</w:Password><n>{limit}</n><b>${SECRET}</b></a>\'',
      '<a><w:Password T="1">***</w:Password><n>40</n><b>***</b></a>',
    ],
  ])('masks them in a body: %s', (body, text) => {
    expect(shownOf(net, `{ method: POST, path: /items, body: { ${body} } }`).body).toBe(text);
  });
});
