import type { RequestSpec } from '../../../../../src/config/schema/source.ts';
import { asksForOrder, orderBet } from '../../../../../src/source/adapter/plan/order-bet.ts';
import { brokenBet } from '../../../../../src/source/checks/order-bet.ts';
import { resources } from '../../../../support/reference.ts';
import { specOf } from '../../../../support/pipeline/source-text.ts';

const GET: RequestSpec = { method: 'GET', path: '/rows', query: {}, headers: {} };
const query = (parameters: Record<string, string>): RequestSpec => ({ ...GET, query: parameters });
const json = (tree: unknown): RequestSpec => ({
  ...GET,
  method: 'POST',
  body: { json: tree } as RequestSpec['body'],
});

const ids = { idPaths: ['data.core.cid | sys_id'], none: undefined };

describe('a request that asks for the order by id', () => {
  it.each([
    ['sort=id', query({ sort: 'id' })],
    ['the name that the ids have', query({ ord: 'x', sort_by: 'CID', dir: 'A' })],
    ['two parameters', query({ _sort: 'id', _order: 'asc' })],
    ['OData', query({ $orderby: 'CID asc', $top: '{limit}' })],
    ['Spring', query({ sort: 'id,asc' })],
    ['PostgREST', query({ order: 'id.asc' })],
    ['Feathers', query({ '$sort[id]': '1' })],
    ['LoopBack', query({ 'filter[order]': 'id ASC' })],
    ['ServiceNow', query({ sysparm_query: 'active=true^ORDERBYsys_id' })],
    ['SOQL', query({ q: 'SELECT Id, Name FROM User ORDER BY Id' })],
    ['a header', { ...GET, headers: { 'X-Sort-By': 'id' } }],
    ['a body in JSON', json({ query: {}, sort: [{ id: 'asc' }] })],
    ['Odoo', json({ params: { kwargs: { order: 'id asc' } } })],
    ['an enumeration of GraphQL', json({ query: '{ rows(orderBy: { id: asc }) { id name } }' })],
    [
      'a variable of GraphQL',
      json({
        query: 'query R($field: String) { rows(sortField: $field) { name } }',
        variables: { field: 'id' },
      }),
    ],
    ['a form', { ...GET, method: 'POST' as const, body: { form: { sort: 'id' } } }],
    [
      'XML',
      { ...GET, method: 'POST' as const, body: { xml: '<l:List><l:OrderBy>Cid</l:OrderBy></l:List>' } },
    ],
  ])('is seen: %s', (_name, request) => expect(asksForOrder('id', request, ids)).toBe(true));

  it.each([
    ['nothing', query({ page: '{page}', limit: '{limit}' })],
    ['a direction alone', query({ order: 'asc' })],
    ['another column', query({ sort: 'name' })],
    ['a variable', query({ sort: '{sort}' })],
    ['another word', query({ border: 'id', resort: 'id' })],
    ['a selection behind the sort', json({ query: '{ rows(sort: NAME) { id name } }' })],
  ])('is not seen: %s', (_name, request) => expect(asksForOrder('id', request, ids)).toBe(false));

  it('may stand for {sort} where nobody sorts', () =>
    expect(asksForOrder('id', query({ sort: '{sort}' }), { ...ids, none: 'id' })).toBe(true));
});

describe('a request that asks for any order', () => {
  it.each([
    [{ sort: 'created' }, true],
    [{ orderby: 'name', order: 'asc' }, true],
    [{ order: 'asc' }, false],
    [{ primary_order: 'true' }, false],
    [{ sort: '' }, false],
  ])('%j: %s', (parameters, expected) =>
    expect(asksForOrder('source', query(parameters), ids)).toBe(expected),
  );
});

const file = (list: string) => `
source: 1
name: shop
net: { baseUrl: 'http://127.0.0.1:1' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /rows, query: { page: '{page}', size: '{limit}' } }
      items: rows
      map: { id: id, name: title, description: null, price: null, category: null }
      ${list}
`;
const paged = 'window: { kind: page, sizes: [25] }\n      total: { at: total }\n      ';
const betOf = (list: string) => orderBet(specOf(file(list)).resources.products!);

describe('a bet on an order', () => {
  it.each([
    ['order: id', { by: 'id', isAccepted: false }],
    ['order: source', { by: 'source', isAccepted: false }],
    ['order: id\n      orderIs: observed', { by: 'id', isAccepted: true }],
  ])('is one where pages rest on it: %j', (order, bet) => expect(betOf(paged + order)).toMatchObject(bet));

  it.each([
    ['no order is claimed', `${paged}order: unknown`],
    ['the file says that it is documented', `${paged}order: id\n      orderIs: documented`],
    ['the file says that it is asked for', `${paged}order: source\n      orderIs: asked`],
    [
      'its own sort asks for it',
      `${paged}order: id\n      sort: { query: { by: '{column}' }, columns: { id: { column: no } } }`,
    ],
    ['lists are scanned for want of a total', 'window: { kind: page, sizes: [25] }\n      order: id'],
    [
      'lists are scanned because rows are dropped',
      `${paged}order: id\n      dropWhen: [{ at: gone, equals: true }]`,
    ],
    [
      'windows name the next one',
      'window: { kind: cursor, sizeMax: 25, next: next }\n      total: { at: total }\n      order: id',
    ],
  ])('is none where %s', (_why, list) => expect(betOf(list)).toBeUndefined());
});

describe('a look at an order', () => {
  const row = (id: number, name = `n${id}`) => ({ id: `prod_${id}`, name });
  const rows = (...ids: readonly number[]) => ids.map((id) => row(id));

  it.each([
    ['id', rows(2, 10, 11), undefined],
    ['id', rows(), undefined],
    ['source', rows(9, 2, 5), undefined],
    ['source', rows(9, 2, 5, 7), rows(2, 5, 8)],
    ['source', [row(9), row(5, 'renamed'), row(2)], rows(9, 2, 5)],
  ] as const)('finds nothing wrong with order: %s', (by, now, before) =>
    expect(brokenBet({ by, fields: resources.products.itemFields }, now, before)).toBeUndefined(),
  );

  it.each([
    ['id', rows(10, 11, 2), undefined, /ascending id/],
    ['id', rows(2, 10, 10), undefined, /ascending id/],
    ['source', rows(9, 2, 9), undefined, /two windows/],
    ['source', rows(9, 5, 2), rows(9, 2, 5), /changed places/],
  ] as const)('sees that order: %s is broken', (by, now, before, text) =>
    expect(brokenBet({ by, fields: resources.products.itemFields }, now, before)).toMatch(text),
  );
});
