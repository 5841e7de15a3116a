import { problemText } from '../../../src/config/yaml/problem.ts';
import { loadTexts } from '../../support/gateway/config-texts.ts';

const source = (call: string, more: string) => `source: 1
name: shop
net: { baseUrl: 'http://127.0.0.1:1' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: none }
      items: rows
      map:
        id: id
        name: name
        price: { from: cost, as: [{ call: ${call} }] }
${more}`;

const GATEWAY =
  'portico: 1\ncoercions: ./coercions.js\nresources: { products: { source: shop, public: true } }\n';

/** The problems of a configuration whose source calls a function of this module, if there is one. */
function problemsOf(coercions: string | undefined, { gateway = GATEWAY, call = 'price', more = '' } = {}) {
  const sources = { 'shop.yaml': source(call, more) };
  return loadTexts({ gateway, coercions, sources }).problems.map(problemText);
}

const hintOf = 'it is one file of JavaScript, an ES module without await at its top';

describe('a module of own coercions', () => {
  it('may be any ES module that exports what the sources call', () => {
    expect(
      problemsOf("import { EOL } from 'node:os';\nexport const price = (value) => value + EOL;"),
    ).toEqual([]);
  });

  it.each([
    [
      'broken JavaScript',
      'export const price = 1;\nexport function (',
      'coercions.js:2:1: the module cannot be',
    ],
    ['an error at its import', "\n\nthrow new Error('no licence');", 'cannot be loaded: no licence'],
    ['CommonJS', 'module.exports = { price: (value) => value };', 'cannot be loaded: module is not defined'],
    ['await at its top', 'await 1;\nexport const price = String;', 'cannot be loaded: '],
    ['an import of what is not there', "import 'no-such-package';", "Cannot find package 'no-such-package'"],
  ])('with %s is one problem, with the form that is right', (_what, text, problem) => {
    const found = problemsOf(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^coercions\.js:/);
    expect(found[0]).toContain(problem);
    expect(found[0]).toContain(hintOf);
  });

  it('that was refused is refused again with the same words', () => {
    const text = "throw new Error('each time');";
    expect(problemsOf(text)).toEqual(problemsOf(text));
  });

  it('that is not there is told at the key that names it, and not once more for each call', () => {
    expect(problemsOf(undefined)).toEqual([
      expect.stringMatching(/^portico\.yaml:2:12: coercions: the file \.\/coercions\.js cannot be read\n/),
    ]);
  });
});

describe('a step that calls a function', () => {
  const place = 'shop.yaml:15:43: resources.products.list.map.price.as[0].call: ';

  it.each([
    [
      'export const prise = String;',
      'coercions.js exports no function "price"\n    hint: did you mean "prise"?',
    ],
    [
      'export const price = 5;\nexport const size = String;',
      'coercions.js exports no function "price"\n    hint: functions: size',
    ],
    ['', 'coercions.js exports no function "price"\n    hint: functions: none'],
  ])('is refused with its line if the module is %p', (text, problem) => {
    expect(problemsOf(text)).toEqual([place + problem]);
  });

  it('calls no name that every object has', () => {
    expect(problemsOf('export const price = String;', { call: 'toString' })).toHaveLength(1);
  });

  it('is refused where the gateway file names no module', () => {
    const gateway = GATEWAY.replace('coercions: ./coercions.js\n', '');
    expect(problemsOf(undefined, { gateway })).toEqual([
      `${place}there is no module with a function "price"\n    hint: coercions: ./coercions.js in the gateway file`,
    ]);
  });

  it('is told together with all other problems', () => {
    const gateway = GATEWAY.replace('portico: 1\n', 'portico: 1\ndocs: maybe\n');
    expect(problemsOf('export const size = String;', { gateway })).toHaveLength(2);
  });

  it('makes no time, which a step has to read behind it', () => {
    const timed = (as: string) =>
      problemsOf('export const price = String;', {
        more: `  users:
    id: { kind: number }
    list:
      request: { path: /users }
      window: { kind: none }
      items: rows
      map: { id: id, name: name, email: mail, created_at: { from: at, as: [${as}] } }
    get: { request: { path: '/users/{id}' }, item: '', map: { id: id, name: name } }
`,
      });
    expect(timed('{ call: price }, iso8601')).toEqual([]);
    expect(timed('{ call: price }')).toEqual([
      expect.stringContaining('yields any, but created_at is datetime'),
    ]);
  });

  it('is refused under a filter that the source is asked for, because it cannot be inverted', () => {
    const more = "      filters: { price: { ge: { exactness: exact, query: { from: '{value}' } } } }\n";
    expect(problemsOf('export const price = String;', { more })).toEqual([
      expect.stringContaining('the steps that read price cannot be inverted'),
    ]);
  });
});
