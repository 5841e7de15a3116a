import { setIn } from '../../../../../src/kernel/json/json-tree.ts';
import {
  bodyParameters,
  findVariable,
  parameterName,
  requestSection,
  withQuery,
  withValue,
} from '../../../../../src/workbench/infer/requests/request-parameters.ts';
import type { RequestSpec } from '../../../../../src/config/schema/source.ts';

const request = (more: Partial<RequestSpec> = {}): RequestSpec => ({
  ...{ method: 'GET', path: '/v1/items', query: {}, headers: {} },
  ...more,
});
const xml = '<e:Ask xmlns:e="urn:x"><MaxRows>10</MaxRows><e:First a="1">0</e:First></e:Ask>';

describe('a value in a request', () => {
  it.each<[string, Parameters<typeof withValue>, Partial<RequestSpec>]>([
    [
      'of the query',
      [request({ query: { a: '1' } }), { in: 'query', name: 'page' }, 2],
      { query: { a: '1', page: '2' } },
    ],
    ['of the path', [request(), { in: 'path', segment: 2 }, '{page}'], { path: '/v1/{page}' }],
    [
      'of a JSON body',
      [request({ body: { json: { q: [{ n: 1 }] } } }), { in: 'json', path: ['q', 0, 'n'] }, 9],
      { body: { json: { q: [{ n: 9 }] } } },
    ],
    [
      'of XML, with what it would break escaped',
      [request({ body: { xml } }), { in: 'xml', element: 'MaxRows' }, '<&'],
      { body: { xml: xml.replace('>10<', '>&lt;&amp;<') } },
    ],
    [
      'of XML, as a variable',
      [request({ body: { xml } }), { in: 'xml', element: 'e:First' }, '{offset}'],
      { body: { xml: xml.replace('>0<', '>{offset}<') } },
    ],
  ])('is set where it is: %s', (_where, given, expected) => {
    expect(withValue(...given)).toMatchObject(expected);
  });

  it('leaves a request as it is that has no such place', () => {
    expect(withValue(request(), { in: 'json', path: ['a'] }, 1)).toEqual(request());
  });

  it('never changes the request that it was made from', () => {
    const before = request({ query: { a: '1' } });
    withQuery(withValue(before, { in: 'query', name: 'a' }, 2), { b: '3' });
    expect(before.query).toEqual({ a: '1' });
  });

  it.each<[unknown, readonly (string | number)[], unknown]>([
    [{}, ['a', 'b'], { a: { b: 1 } }],
    [{ a: [1, 2] }, ['a', 1], { a: [1, 1] }],
    ['x', ['a'], { a: 1 }],
    ['x', [], 1],
  ])('in %j at %j makes the objects on its way', (tree, path, expected) => {
    expect(setIn(tree, path, 1)).toEqual(expected);
  });
});

describe('a range of rows that two parameters bound', () => {
  const bounds = { first: { in: 'query', name: 'from' }, last: { in: 'query', name: 'upto' } } as const;
  const set = (part: 'first' | 'count', value: unknown, isBehind = false) =>
    withValue(
      request({ query: { from: '1', upto: isBehind ? '26' : '25' } }),
      { in: 'range', part, ...bounds, isBehind },
      value,
    ).query;

  it.each([
    ['keeps its size when it moves', set('first', 41), { from: '41', upto: '65' }],
    ['ends at its last row', set('count', 40), { from: '1', upto: '40' }],
    ['ends behind its last row', set('count', 40, true), { from: '1', upto: '41' }],
    ['takes the number of its first row', set('first', '{offset}'), { from: '{offset}', upto: '25' }],
    ['takes the number of its last row', set('count', '{limit}'), { from: '1', upto: '{lastRow}' }],
    ['takes the row behind it', set('count', '{limit}', true), { from: '1', upto: '{endRow}' }],
  ])('%s', (_what, query, expected) => expect(query).toEqual(expected));
});

describe('the parameters of a body', () => {
  const namesOf = (body: RequestSpec['body']) =>
    bodyParameters(request(body === undefined ? {} : { body })).map(({ place }) => parameterName(place));

  it('are none without a body', () => expect(namesOf(undefined)).toEqual([]));

  it('are the leaves of JSON, by their paths', () => {
    expect(namesOf({ json: { page: 1, filter: [{ op: 'eq' }] } })).toEqual(['page', 'filter.0.op']);
  });

  it('are the elements of XML that hold text', () =>
    expect(namesOf({ xml })).toEqual(['MaxRows', 'e:First']));

  it('are, of a GraphQL query, its declared variables, too', () => {
    const json = { query: 'query Q($first: Int, $after: String) { a }', variables: { first: 10 } };
    expect(namesOf({ json })).toEqual(['query', 'variables.first', 'variables.after']);
  });
});

describe('a text that a source file would read as a variable', () => {
  it.each<[Partial<RequestSpec>, string | undefined]>([
    [{}, undefined],
    [{ path: '/a/{id}' }, '{id}'],
    [{ query: { q: '{value}' } }, '{value}'],
    [{ headers: { 'X-A': '${SHOP_TOKEN}' } }, undefined],
    [{ query: { q: '{ not }' } }, undefined],
    [{ query: { q: '{"a":1}' } }, undefined],
  ])('is found in %j: %s', (more, found) => expect(findVariable(request(more))).toBe(found));
});

describe('the request section of a draft', () => {
  it('leaves out what is the default', () =>
    expect(requestSection(request())).toEqual({ path: '/v1/items' }));

  it('has the rest', () => {
    const full = request({ method: 'POST', query: { a: '1' }, headers: { 'X-A': 'b' }, body: { json: {} } });
    expect(requestSection(full)).toEqual(full);
  });
});
