import type { ResourceName } from '../../../../support/reference.ts';
import { compileText } from '../../../../support/pipeline/source-text.ts';
import { category, text } from '../plan/list-text.ts';

describe('inconsistent variables of a request', () => {
  const problems = (request: string, list: string, resource: ResourceName = 'products') =>
    compileText(resource, text(request, list, resource)).problems;
  const sort = "sort: { expr: '{column}', columns: {} }";

  it.each<[string, string, string, string]>([
    [
      'a filter that vanishes with the sort',
      "{ path: /x, query: { q: '{filter}{sort}' } }",
      `${sort}\n      filterNone: ''`,
      'list.request.query.q: all of it is left out where {sort} has no value',
    ],
    [
      'a query that vanishes without a filter',
      "{ path: /x, query: { q: 'WHERE {filter} LIMIT {limit}' } }",
      '',
      'list.request.query.q: all of it is left out where {filter} has no value',
    ],
    [
      'the same in a body',
      "{ method: POST, path: /x, body: { json: { a: ['{limit} {filter}'] } } }",
      '',
      'list.request.body.json.a[0]: all of it is left out where {filter} has no value',
    ],
    [
      'a condition that is never sent',
      '{ path: /x }',
      `filters: { ${category} }`,
      'list.filters: the request does not use {filter}, which this fills in',
    ],
    [
      'a constant condition that is never sent',
      '{ path: /x }',
      'filterAlways: [a=b]',
      'list.filterAlways: the request does not use {filter}, which this fills in',
    ],
    [
      'a tree that is never sent',
      '{ path: /x }',
      'filterAlways: [{ item: 1 }]',
      'list.filterAlways: the request does not use {filters}',
    ],
    ['a sort that is never sent', '{ path: /x }', sort, 'list.sort.expr: the request does not use {sort}'],
    [
      'a tiebreak that is never sent',
      "{ path: /x, query: { s: '{sort}' } }",
      "sort: { expr: '{column}', tiebreak: ',id', columns: {} }",
      'list.sort.tiebreak: no template of the sort names {tiebreak}',
    ],
    [
      'a parameter of the sort that the request has already',
      '{ path: /x, query: { o: id } }',
      "sort: { query: { o: '{column}' }, columns: {} }",
      'list.sort.query.o: the request has the parameter "o" already',
    ],
    [
      'a tree behind a text',
      "{ path: /x, query: { s: '{sort}' } }",
      "sort: { expr: '{column}', tiebreak: { a: b }, columns: {} }",
      'list.sort.tiebreak: a tree needs an `item`',
    ],
    [
      'a path with a wrong variable',
      '{ path: /x }',
      "filters: { category: { eq: { path: '/by/{id}', exactness: exact } } }",
      'list.filters.category.eq.path: unknown variable {id}',
    ],
  ])('%s', (_name, request, list, problem) => {
    const [first, ...others] = problems(request, list);
    expect(others).toEqual([]);
    expect(first).toContain(`resources.products.${problem}`);
  });

  it('a count that counts more than the filter leaves', () => {
    const counting = text("{ path: /x, query: { q: '{filter}' } }", `filters: { ${category} }`).replace(
      'total: { at: hits }',
      'total: { at: n, count: { path: /count } }',
    );
    expect(compileText('products', counting).problems).toEqual([
      'resources.products.list.total.count: counts more than the filters leave: it has no {filter}',
    ]);
  });

  it('a path that links would not be followed from', () => {
    const linked = text(
      '{ path: /x }',
      "filters: { category: { eq: { path: '/by/{value}', exactness: superset } } }",
    ).replace('{ kind: offset, sizeMax: 40 }', '{ kind: link, sizeMax: 40, next: { at: next } }');
    expect(compileText('products', linked).problems).toEqual([
      'resources.products.list.filters.category.eq.path: links are followed from the path of the list',
    ]);
  });
});

describe('a variable inside quotes', () => {
  const problems = (request: string, list: string) =>
    compileText('products', text(request, list, 'products')).problems.filter((one) =>
      one.includes('stands inside quotes'),
    );
  const named = 'filters: { category: { eq: { name: cat, exactness: exact } } }';
  const own = (filter: string) => `filters: { category: { eq: { ${filter}, exactness: exact } } }`;
  const plain = '{ path: /x }';
  const body = (kind: string) => `{ method: POST, path: /x, body: { ${kind} } }`;

  it.each<[string, string, string, string]>([
    ['single ones', `{ path: /x, query: { q: "c = '{cat}'" } }`, named, 'request.query.q: {cat}'],
    ['double ones', `{ path: /x, query: { q: 'c = "{cat}"' } }`, named, 'request.query.q'],
    ['with more text', `{ path: /x, query: { q: 'c like "% {cat} %"' } }`, named, 'request.query.q'],
    ['backticks', '{ path: /x, query: { q: "c = `{cat}`" } }', named, 'request.query.q'],
    ['doubled ones', `{ path: /x, query: { q: "''{cat}''" } }`, named, 'request.query.q'],
    ['in a name', `{ path: /x, query: { "q[c='{cat}']": '1' } }`, named, "request.query.q[c='{cat}']"],
    ['in a tree', body(`json: { q: ["c = '{cat}'"] }`), named, 'request.body.json.q[0]'],
    ['in a query of GraphQL', body(`json: { query: '{ a(c: "{cat}") }' }`), named, 'request.body.json.query'],
    ['in a form', body(`form: { q: "c = '{cat}'" }`), named, 'request.body.form.q'],
    ['in XML', body(`xml: "<q>c = '{cat}'</q>"`), named, 'request.body.xml'],
    ['in XML, written', body(`xml: '<q f="c = &quot;{cat}&quot;"/>'`), named, 'request.body.xml'],
    ['of a filter', plain, own(`query: { q: "c = '{value}'" }`), 'filters.category.eq.query.q: {value}'],
    ['of a path', plain, own(`path: "/by('{value}')"`), 'filters.category.eq.path'],
    ['of an encoded path', plain, own('path: "/by(%27{value}%27)"'), 'filters.category.eq.path'],
    [
      'of an item',
      `{ method: POST, path: /x, body: { json: { f: '{filters}' } } }`,
      own(`item: "c='{value}'"`),
      'filters.category.eq.item',
    ],
    [
      'which the escape writes',
      `{ path: /x, query: { q: '{filter}' } }`,
      own(`expr: "c eq '{value}'", escape: odata`),
      'filters.category.eq.expr',
    ],
    [
      'around a condition',
      `{ path: /x, query: { q: '"{filter}"' } }`,
      own(`expr: 'c = {value}', escape: sql`),
      'request.query.q: {filter}',
    ],
  ])('is refused: %s', (_how, request, list, place) => {
    expect(problems(request, list)).toEqual([expect.stringContaining(place)]);
  });

  it.each<[string, string, string]>([
    ['none are there', '{ path: /x, query: { c: "{cat}" } }', named],
    ['they stand beside it', `{ path: /x, query: { q: "a = 'b' and c:{cat} and d = 'e'" } }`, named],
    ['others stand in them', `{ path: /x, query: { q: 'a = "it''s" c:{cat} d = "it''s"' } }`, named],
    [
      'the escape writes them',
      `{ path: /x, query: { q: '{filter}' } }`,
      own(`expr: 'c eq {value}', escape: odata`),
    ],
    ['XML escapes them', body(`xml: '<q c="{cat}"><d>{cat}</d></q>'`), named],
    [
      'it is a number',
      plain,
      `filters: { price: { ge: { query: { q: "p ge '{value}'" }, exactness: exact } } }`,
    ],
    ['it is of the window', `{ path: /x, query: { q: "rows '{limit}'" } }`, ''],
  ])('is taken where %s', (_how, request, list) => expect(problems(request, list)).toEqual([]));
});
