import type { RequestSpec } from '../../../../../src/config/schema/source.ts';
import {
  candidatesFor,
  countsPages,
  givenNumbers,
} from '../../../../../src/workbench/infer/window/parameter-names.ts';

const request = (more: Partial<RequestSpec> = {}): RequestSpec => ({
  ...{ method: 'GET', path: '/items', query: {}, headers: {} },
  ...more,
});
const namesOf = (...given: Parameters<typeof candidatesFor>) =>
  candidatesFor(...given).map(({ name }) => name);

describe('whether a name counts pages', () => {
  it.each(['page', 'p', 'pg', 'pageNumber', 'currentPage', 'page[number]', 'Seite', 'page_no'])(
    '%s does',
    (name) => expect(countsPages(name)).toBe(true),
  );
  it.each(['offset', 'skip', '$skip', 'start', 'page[offset]', 'from', 'startIndex', 'pos'])(
    '%s does not',
    (name) => expect(countsPages(name)).toBe(false),
  );
});

describe('the names of a parameter', () => {
  it('begin with the one that is known, then with those of the request, then with the most common', () => {
    const names = namesOf('size', request({ query: { rows: '10', kind: 'x' } }), 'howMany');
    expect(names.slice(0, 3)).toEqual(['howMany', 'rows', 'limit']);
    expect(names).not.toContain('kind');
  });

  it('come once each', () => {
    const names = namesOf('start', request({ query: { page: '1' } }), 'page');
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(['size', 'start', 'cursor'] as const)('of a %s are in the query, if there is no body', (what) => {
    for (const { place } of candidatesFor(what, request(), undefined)) expect(place.in).toBe('query');
  });

  it('are looked for in a JSON body, if there is one, in whatever spelling', () => {
    const json = { Page_Size: 10, other: 1, paging: { offset: 0 } };
    expect(namesOf('size', request({ body: { json } }), undefined)).toEqual(['Page_Size']);
    expect(namesOf('start', request({ body: { json } }), undefined)).toEqual(['paging.offset']);
  });

  it('are looked for in XML by their words', () => {
    const xml = '<Ask><MaxRows>5</MaxRows><FirstRow>1</FirstRow><Kind>x</Kind></Ask>';
    expect(namesOf('size', request({ body: { xml } }), undefined)).toEqual(['MaxRows']);
    expect(namesOf('start', request({ body: { xml } }), undefined)).toEqual(['FirstRow']);
  });

  it('in a body begin with the one that is known', () => {
    const json = { limit: 10, paging: { take: 5 } };
    expect(namesOf('size', request({ body: { json } }), 'take')[0]).toBe('paging.take');
  });
});

describe('the numbers of a request under names that say nothing', () => {
  it('are those of the query, the path and the body', () => {
    const given = request({
      path: '/list/2/50',
      query: { x: '10', kind: 'a1' },
      body: { json: { y: 7, z: 'b' } },
    });
    expect(givenNumbers(given).map(([one]) => one?.name)).toEqual([
      ...['x', 'segment 2 of the path', 'segment 3 of the path', 'y'],
    ]);
  });

  it('are at most six', () => {
    const query = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`n${n}`, String(n)]));
    expect(givenNumbers(request({ query }))).toHaveLength(6);
  });
});
