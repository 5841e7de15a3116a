import { sortClaims } from '../../../../../src/workbench/doctor/probes/sort-claims.ts';
import { items, type Item, probeAlone, type Service } from '../../../../support/doctor/probe-alone.ts';

const SORT = [
  "request: { path: /users, query: { from: '{offset}', n: '{limit}', sort: '{sort}' } }",
  'window: { kind: offset, sizeMax: 5 }',
  'total: { at: total }',
  "sort: { expr: '{direction}{column}', ascending: '', descending: '-', none: id, columns: { name: { column: title, directions: [ascending, descending] } } }",
];
const GET = ["request: { path: '/users/{id}' }", "item: ''"];

type Order = (a: Item, b: Item) => number;
const byText: Order = (a, b) =>
  String(a.title) < String(b.title) ? -1 : String(a.title) > String(b.title) ? 1 : 0;

/** A list that sorts by the title, as `order` says. */
function sorting(rows: readonly Item[], order: Order = byText): Service {
  return ({ query }) => {
    const sort = query.get('sort') ?? '';
    const way = sort.startsWith('-') ? -1 : 1;
    const sorted = sort.endsWith('title')
      ? rows.toSorted((a, b) => order(a, b) * way || Number(a.id) - Number(b.id))
      : rows;
    const from = Number(query.get('from'));
    return { body: { total: rows.length, rows: sorted.slice(from, from + Number(query.get('n'))) } };
  };
}

/** What is found of the ascending sort. */
async function ascending(service: Service) {
  const { findings } = await probeAlone((ask) => sortClaims(ask).slice(0, 1), service, {
    window: SORT,
    get: GET,
  });
  return findings[0];
}

const named = (...titles: readonly unknown[]): readonly Item[] =>
  titles.map((title, index) => ({ id: index + 1, title }));

describe('the probe of a sort', () => {
  it('is made for each declared direction', async () => {
    const { findings } = await probeAlone(sortClaims, sorting(named('b', 'a', 'C')), {
      window: SORT,
      get: GET,
    });
    expect(findings.map(({ probe, verdict }) => [probe, verdict])).toEqual([
      ['sort name ascending', 'agrees'],
      ['sort name descending', 'agrees'],
    ]);
  });

  it('agrees with the order of code points', async () => {
    expect(await ascending(sorting(named('b', 'É', 'a', 'Z', 'z')))).toMatchObject({
      verdict: 'agrees',
      observed: '5 rows in order',
    });
  });

  it('differs if letters are ordered without regard to their case, and takes the direction out', async () => {
    const ignoringCase: Order = (a, b) => String(a.title).localeCompare(String(b.title));
    const finding = await ascending(sorting(named('b', 'Z', 'a'), ignoringCase));
    expect(finding?.verdict).toBe('differs');
    expect(finding?.advice?.tries?.[0]).toEqual({
      sets: [
        {
          at: ['resources', 'users', 'list', 'sort', 'columns', 'name', 'directions'],
          value: ['descending'],
        },
      ],
      text: 'directions without ascending, or no such column',
    });
  });

  it('differs if unknown values come first', async () => {
    const nullFirst: Order = (a, b) => Number(a.title !== null) - Number(b.title !== null) || byText(a, b);
    expect(await ascending(sorting(named('b', null, 'a'), nullFirst))).toMatchObject({ verdict: 'differs' });
  });

  it('says that the sort is ignored if the rows are the same as without it', async () => {
    expect(await ascending(sorting(named('b', 'c', 'a'), () => 0))).toMatchObject({
      verdict: 'differs',
      observed: 'the sort is ignored: the same rows as without it',
    });
  });

  it('differs if a row does not come with the sort', async () => {
    const all = named('b', 'c', 'a');
    const losing: Service = (request) =>
      request.query.get('sort') === 'title' ? sorting(all.slice(1))(request) : sorting(all)(request);
    expect(await ascending(losing)).toMatchObject({ verdict: 'differs', observed: '1 record did not come' });
  });

  it('names the list if a row comes with the sort alone', async () => {
    const all = named('b', 'c', 'a');
    const hiding: Service = (request) =>
      request.query.get('sort') === 'title' ? sorting(all)(request) : sorting(all.slice(1))(request);
    expect(await ascending(hiding)).toMatchObject({
      probe: 'rows of sort name ascending',
      verdict: 'differs',
    });
  });

  it('proposes the id as a second column if a row comes twice in the walk', async () => {
    const all = named(...items(12).map(() => 'tied'));
    const unsteady: Service = (request) => {
      const { query } = request;
      const from = Number(query.get('from'));
      if (query.get('sort') !== 'title') return sorting(all)(request);
      return { body: { total: 12, rows: all.slice(Math.max(0, from - 1), Math.max(0, from - 1) + 5) } };
    };
    expect(await ascending(unsteady)).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('came twice in the walk'),
    });
  });

  it('differs if the service refuses the sort', async () => {
    const refusing: Service = (request) =>
      request.query.get('sort') === 'title' ? { status: 400, body: {} } : sorting(items(4))(request);
    expect(await ascending(refusing)).toMatchObject({ verdict: 'differs' });
  });

  it.each([0, 1])('cannot tell anything from %i rows', async (count) => {
    expect(await ascending(sorting(items(count)))).toMatchObject({ verdict: 'could not tell' });
  });
});
