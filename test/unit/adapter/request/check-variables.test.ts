import { compileText } from '../../../support/pipeline/source-text.ts';
import { category, text } from '../plan/list-text.ts';

describe('inconsistent variables of a request', () => {
  const problems = (request: string, list: string, resource: 'users' | 'products' = 'products') =>
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
