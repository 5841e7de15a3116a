import type { ListPlan } from '../../../../../src/source/adapter/plan/plan.ts';
import { category, low, planOf, text } from './list-text.ts';

/** The request of a plan: target, decoded, and body. */
function asked(plan: ListPlan): string {
  if (plan.kind === 'nothing') return 'nothing';
  const { target, body } = plan.request({ firstRow: 0, size: 40, variables: { offset: 0, limit: 40 } });
  return [plan.kind, decodeURIComponent(target), ...(body === undefined ? [] : [body.text])].join(' ');
}

describe('conditions that always stand', () => {
  const soql = text(
    "{ path: /q, query: { q: 'SELECT X WHERE {filter} ORDER BY Id' } }",
    `order: id
      filterAlways: ["Active = true", "Kind = 'a'"]
      filterJoin: ' AND '
      filters: { ${category}, ${low} }`,
  );

  it.each([
    ['', "page /q?q=SELECT X WHERE Active = true AND Kind = 'a' ORDER BY Id"],
    ['category=Toys', "page /q?q=SELECT X WHERE Active = true AND Kind = 'a' AND cat eq 'Toys' ORDER BY Id"],
    [
      'category=Toys&min_price=2',
      "page /q?q=SELECT X WHERE Active = true AND Kind = 'a' AND cat eq 'Toys' AND price ge 2 ORDER BY Id",
    ],
  ])('are joined with those of the question %j', (rawQuery, request) =>
    expect(asked(planOf(soql, rawQuery))).toBe(request),
  );

  it('stand in a tree as well, and in the request that counts', () => {
    const odoo = text(
      "{ method: POST, path: /s, body: { json: { domain: '{filters}' } } }",
      `order: id
      filterAlways: [{ item: [sale, '=', true] }]
      filters: { category: { eq: { item: [cat, '=', '{value}'], exactness: exact } } }`,
    ).replace(
      'total: { at: hits }',
      "total: { at: n, count: { method: POST, path: /c, body: { json: { args: ['{filters}'] } } } }",
    );
    expect(asked(planOf(odoo, ''))).toBe('page /s {"domain":[["sale","=",true]]}');
    const plan = planOf(odoo, 'category=Toys');
    expect(asked(plan)).toBe('page /s {"domain":[["sale","=",true],["cat","=","Toys"]]}');
    expect(plan.kind === 'page' && plan.count?.body?.text).toBe(
      '{"args":[[["sale","=",true],["cat","=","Toys"]]]}',
    );
  });
});

describe('a condition for where there is none', () => {
  const crest = text(
    "{ path: /u, query: { _queryFilter: '{filter}' } }",
    `order: id\n      filterNone: 'true'\n      filters: { ${category} }`,
  );

  it('stands there alone', () => {
    expect(asked(planOf(crest, ''))).toBe('page /u?_queryFilter=true');
    expect(asked(planOf(crest, 'category=Toys'))).toBe("page /u?_queryFilter=cat eq 'Toys'");
  });

  it('is left out with what it stands in where none is given', () => {
    expect(asked(planOf(crest.replace("filterNone: 'true'", ''), ''))).toBe('page /u');
  });
});

describe('a sort', () => {
  const users = (sort: string, query = "{ sort: '{sort}' }") =>
    text(`{ path: /u, query: ${query} }`, sort, 'users');
  const columns = 'columns: { id: { column: ID }, name: { column: last } }';
  const askedFor = (source: string, rawQuery: string) => asked(planOf(source, rawQuery, 'users'));

  it('has the tiebreak after it, but not after the id', () => {
    const source = users(
      `sort: { expr: '{column} {direction}{tiebreak}', tiebreak: ', ID asc', ${columns} }`,
    );
    expect(askedFor(source, 'sort=-name')).toBe('page /u?sort=last desc, ID asc');
    expect(askedFor(source, 'sort=-id')).toBe('page /u?sort=ID desc');
    expect(askedFor(source, '')).toBe('page /u?sort=ID asc');
  });

  it('has it in a parameter and in a tree too', () => {
    const prefix = users(
      `sort: { query: { order: '{direction}{column}{tiebreak}' }, tiebreak: ',ID', ascending: '', descending: '-', ${columns} }`,
      '{}',
    );
    expect(askedFor(prefix, 'sort=-name')).toBe('page /u?order=-last,ID');
    expect(askedFor(prefix, 'sort=id')).toBe('page /u?order=ID');
    const tree = text(
      "{ method: POST, path: /s, body: { json: { sort: '{sorts}' } } }",
      `sort: { item: { '{column}': '{direction}', by: '{column}' }, tiebreak: { by: ID }, ${columns} }`,
      'users',
    );
    expect(askedFor(tree, 'sort=name')).toContain('{"sort":[{"last":"asc","by":"last"},{"by":"ID"}]}');
    expect(askedFor(tree, 'sort=id')).not.toContain('{"by":"ID"}]');
    const words = tree.replace(
      /item: \{.*\}, tiebreak: \{ by: ID \}/,
      "item: '{column}_{direction}', tiebreak: ID_asc",
    );
    expect(askedFor(words, 'sort=name')).toContain('{"sort":["last_asc","ID_asc"]}');
  });

  it('stands behind the filter where the source has it there', () => {
    const snow = users(
      `filterAlways: [active=true]
      filterJoin: '^'
      sort: { expr: '^ORDERBY{direction}{column}', ascending: '', descending: DESC, none: ^ORDERBYsys_id, columns: { name: { column: last } } }`,
      "{ q: '{filter}{sort}' }",
    );
    expect(askedFor(snow, 'sort=-name')).toBe('page /u?q=active=true^ORDERBYDESClast');
    expect(askedFor(snow, 'sort=email')).toBe('scan /u?q=active=true^ORDERBYsys_id');
    expect(askedFor(snow.replace('sort: {', 'order: id\n      sort: {'), '')).toBe(
      'page /u?q=active=true^ORDERBYsys_id',
    );
  });
});

describe('a filter with a path of its own', () => {
  const spring = (more = '') =>
    text(
      "{ path: /products, query: { size: '{limit}' } }",
      `order: id
      filters:
        category: { eq: { path: '/products/search/byCategory', query: { name: '{value}' }, exactness: exact ${more} } }
        price: { ge: { query: { min: '{value}' }, exactness: exact }, le: { path: '/products/below/{value}', exactness: exact } }`,
    );

  it.each([
    ['', 'page /products?size=40'],
    ['category=Toys', 'page /products/search/byCategory?size=40&name=Toys'],
    ['max_price=2.50', 'page /products/below/2.50?size=40'],
    ['category=Toys&min_price=1', 'scan /products/search/byCategory?size=40&name=Toys'],
    ['min_price=1&max_price=2', 'scan /products/below/2?size=40'],
    ['category=Toys&max_price=2', 'scan /products/search/byCategory?size=40&name=Toys'],
  ])('is asked for alone: %j', (rawQuery, request) =>
    expect(asked(planOf(spring(), rawQuery))).toBe(request),
  );

  it('combines with others where it says so, but never with another path', () => {
    const combines = spring(', combines: true');
    expect(asked(planOf(combines, 'category=Toys&min_price=1'))).toBe(
      'page /products/search/byCategory?size=40&name=Toys&min=1',
    );
    expect(asked(planOf(combines, 'category=Toys&max_price=2'))).toBe(
      'scan /products/search/byCategory?size=40&name=Toys',
    );
  });

  it('combines with others at the same path, where they combine too', () => {
    const at = (name: string, more: string) =>
      `{ path: /products/search/find, query: { ${name}: '{value}' }, exactness: exact${more} }`;
    const search = (more: string) =>
      text(
        "{ path: /products, query: { size: '{limit}' } }",
        `order: id
      filters:
        category: { eq: ${at('cat', ', combines: true')} }
        price: { ge: ${at('min', ', combines: true')}, le: ${at('max', more)} }`,
      );
    const rawQuery = 'category=Toys&min_price=1&max_price=2';
    expect(asked(planOf(search(', combines: true'), rawQuery))).toBe(
      'page /products/search/find?size=40&cat=Toys&min=1&max=2',
    );
    expect(asked(planOf(search(''), rawQuery))).toBe('scan /products/search/find?size=40&cat=Toys&min=1');
  });

  it('leaves the other filters to be done here', () => {
    const plan = planOf(spring(), 'category=Toys&min_price=1');
    expect(plan).toMatchObject({
      pushedFilters: [{ field: 'category' }],
      residualFilters: [{ field: 'price', op: 'ge' }],
      dependsOn: ['filter.category.eq'],
    });
    const others = planOf(spring(), 'min_price=1');
    expect(plan.kind === 'scan' && others.kind === 'scan' && plan.key === others.key).toBe(false);
  });

  it('is no part of what is counted by a request of its own', () => {
    const counted = spring().replace('total: { at: hits }', 'total: { at: n, count: { path: /count } }');
    expect(planOf(counted, '')).toMatchObject({ kind: 'page' });
    expect(planOf(counted, 'category=Toys')).toMatchObject({
      kind: 'scan',
      reason: 'the count of the source does not filter as its list does',
    });
  });

  it('takes its value as one segment', () => {
    const own = spring().replace(
      "'/products/search/byCategory', query: { name: '{value}' }",
      "'/by/{value}/list'",
    );
    const plan = planOf(own, 'category=a%2Fb%3Fc');
    const { target } = (plan as Extract<ListPlan, { kind: 'page' }>).request({
      firstRow: 0,
      size: 1,
      variables: { offset: 0, limit: 1 },
    });
    expect(target).toBe('/by/a%2Fb%3Fc/list?size=1');
    for (const dots of ['.', '..'])
      expect(planOf(own, `category=${dots}`)).toMatchObject({ kind: 'scan', pushedFilters: [] });
  });
});
