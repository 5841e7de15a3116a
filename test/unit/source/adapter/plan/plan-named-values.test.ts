import { adapterOf, compileText, queryOf } from '../../../../support/pipeline/source-text.ts';

/** Products whose request, filters and total are given. */
const text = (request: string, filters: string, total = '{ at: hits }') => `
resources:
  products:
    id: { kind: number }
    list:
      request: ${request}
      window: { kind: offset, sizeMax: 40 }
      total: ${total}
      items: rows
      order: id
      filters: ${filters}
      map: { id: id, name: name, description: d, category: category, price: price }
`;

/** The request of a plan for a question: target, decoded, and body. */
function asked(source: string, rawQuery: string): string {
  const plan = adapterOf('products', source).list.plan(queryOf('products', rawQuery), new Set());
  if (plan.kind === 'nothing') return 'nothing';
  const { target, body } = plan.request({ firstRow: 0, size: 40, variables: { offset: 0, limit: 40 } });
  const counted = plan.kind === 'page' && plan.count !== undefined ? [plan.count.body?.text] : [];
  return [plan.kind, decodeURIComponent(target), ...(body === undefined ? [] : [body.text]), ...counted].join(
    ' ',
  );
}

const category = 'category: { eq: { name: label, exactness: exact } }';
const low = 'ge: { name: from, escape: number, exactness: exact }';
const high = 'le: { name: upTo, exactness: exact }';
const filters = `{ ${category}, price: { ${low}, ${high} } }`;

describe('a value with a name', () => {
  const tree = text(
    "{ method: POST, path: /s, body: { json: { start: '{offset}', where: { labels: ['{label}'], min: '{from}', max: '{upTo}' } } } }",
    filters,
  );

  it.each([
    ['', '{"start":0,"where":{"labels":[]}}'],
    ['category="x"', '{"start":0,"where":{"labels":["\\"x\\""]}}'],
    ['min_price=2.50&max_price=9', '{"start":0,"where":{"labels":[],"min":2.5,"max":"9"}}'],
  ])('stands in a tree, a number as one where it is said, and is left out of it: %j', (rawQuery, body) => {
    expect(asked(tree, rawQuery)).toBe(`page /s ${body}`);
  });

  it('stands in an element of XML, which vanishes without it', () => {
    const xml =
      "{ method: POST, path: /s, body: { xml: '<Q><L>{label}</L><F>{from}</F><T>{upTo}</T></Q>' } }";
    expect(asked(text(xml, filters), 'category=a<b&min_price=1')).toBe(
      'page /s <Q><L>a&lt;b</L><F>1</F></Q>',
    );
  });

  it('stands in a parameter, and in the request that counts', () => {
    const count =
      "{ at: n, count: { method: POST, path: /n, body: { json: ['{label}', '{from}', '{upTo}'] } } }";
    const request = "{ path: /s, query: { 'by[label]': '{label}', f: '{from}', t: '{upTo}' } }";
    expect(asked(text(request, filters, count), 'category=a%26b&min_price=0.5')).toBe(
      'page /s?by[label]=a&b&f=0.5 ["a&b",0.5]',
    );
  });

  it('is left to a scan where it is no number that a tree can hold', () => {
    expect(asked(tree, 'min_price=1.00000000000000001')).toMatch(/^scan /);
    expect(asked(tree, 'min_price=0.0000001')).toMatch(/^scan /);
    const codes = text(
      "{ method: POST, path: /s, body: { json: { c: '{label}' } } }",
      '{ category: { eq: { name: label, escape: number, exactness: exact } } }',
    );
    expect(asked(codes, 'category=7')).toBe('page /s {"c":7}');
    for (const label of ['007', '1e3', '-0x1', '7.', 'seven']) {
      expect(asked(codes, `category=${label}`)).toBe('scan /s {}');
    }
  });
});

describe('a tree that a filter adds', () => {
  it('holds a number as one where it is said', () => {
    const body = "{ method: POST, path: /s, body: { json: { and: '{filters}' } } }";
    const item = "price: { ge: { item: { price: { $gte: '{value}' } }, escape: number, exactness: exact } }";
    expect(asked(text(body, `{ ${item} }`), 'min_price=10.0')).toBe(
      'page /s {"and":[{"price":{"$gte":10}}]}',
    );
  });
});

describe('names that cannot be filled in', () => {
  it.each<[string, string, string, string]>([
    [
      'one that is never sent',
      '{ path: /s }',
      `{ ${category} }`,
      'filters: the request does not use {label}',
    ],
    [
      'one of two filters',
      "{ path: /s, query: { a: '{x}' } }",
      '{ price: { ge: { name: x, exactness: exact }, le: { name: x, exactness: exact } } }',
      'filters: {x} has another meaning, too',
    ],
    [
      'one of a window',
      "{ path: /s, query: { a: '{limit}' } }",
      '{ category: { eq: { name: limit, exactness: exact } } }',
      'filters: {limit} has another meaning, too',
    ],
    [
      'one in a path',
      "{ path: '/s/{label}' }",
      `{ ${category} }`,
      'request.path: the path needs {label} always',
    ],
    [
      'one that takes another part with it',
      "{ path: /s, query: { q: '{label} {limit}' } }",
      `{ ${category} }`,
      'request.query.q: all of it is left out where {label} has no value',
    ],
  ])('%s', (_name, request, given, problem) => {
    const [first, ...others] = compileText('products', text(request, given)).problems;
    expect(others).toEqual([]);
    expect(first).toContain(`resources.products.list.${problem}`);
  });

  it('an unknown one in the name of a parameter', () => {
    const source = text(
      '{ path: /s }',
      "{ category: { eq: { query: { 'x[{label}]': '1' }, exactness: exact } } }",
    );
    expect(compileText('products', source).problems).toEqual([
      'resources.products.list.filters.category.eq.query.x[{label}]: unknown variable {label}',
    ]);
  });

  it('one that the count does not have', () => {
    const source = text(
      "{ path: /s, query: { l: '{label}' } }",
      `{ ${category} }`,
      '{ at: n, count: { path: /n } }',
    );
    expect(compileText('products', source).problems).toEqual([
      'resources.products.list.total.count: counts more than the filters leave: it has no {label}',
    ]);
  });
});
