import {
  type HttpReply,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../../support/upstream/scripted-upstream.ts';
import { openExaminer } from '../../../support/command/run-doctor.ts';
import { endAfterTest, startForAll } from '../../../support/jest/lifetime.ts';

const examiner = startForAll(openExaminer);

type Item = { readonly id: number | string; readonly title?: string | null; readonly kind?: string | null };

/** Items with three kinds; every tenth has none, unless all have one. */
const items = (count: number, every = 10): readonly Item[] =>
  Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    title: `t${n + 1}`,
    kind: n % every === every - 1 ? null : `k${n % 3}`,
  }));

const NUMBERED = "request: { path: /items, query: { from: '{offset}', n: '{limit}' } }";

/** The source file of a shop; its list is made of the lines given. */
const shop = (origin: string, list: readonly string[], { id = 'number', budget = '{}' } = {}) => `
source: 1
name: shop
net: { baseUrl: '${origin}' }
budget: ${budget}
outcomes: [{ on: get, status: 404, is: not_found }, { status: 200, is: ok }]
resources:
  products:
    id: { kind: ${id} }
    list:
      ${list.join('\n      ')}
      items: rows
      order: id
      orderIs: documented
      map: { id: id, name: title, description: null, price: null, category: kind }
`;

const FILTER = "filters: { category: { eq: { query: { kind: '{value}' }, exactness: exact } } }";
const OFFSET = 'window: { kind: offset, sizeMax: 20 }';

/** Has doctor examine a server behind a file. */
async function examine(
  answer: (request: UpstreamRequest) => HttpReply,
  list: readonly string[],
  more: { id?: string; budget?: string } = {},
) {
  const upstream = endAfterTest(await startUpstream(serving(answer)));
  const run = await examiner.examine(shop(upstream.origin, list, more));
  return { ...run, of: (probe: string) => run.findings.find((finding) => finding.probe === probe) };
}

const windowOf = <T>(rows: readonly T[], { query }: UpstreamRequest) => {
  const from = Number(query.get('from') ?? 0);
  return rows.slice(from, from + Number(query.get('n') ?? rows.length));
};

/** A server that filters by kind, keeps the order and counts. */
const honest =
  (all: readonly Item[], fits = (kind: string | null | undefined, asked: string) => kind === asked) =>
  (request: UpstreamRequest): HttpReply => {
    const kind = request.query.get('kind');
    const found = kind === null ? all : all.filter((item) => fits(item.kind, kind));
    return { body: { rows: windowOf(found, request), n: found.length } };
  };

describe('a filter that claims to be exact', () => {
  it('agrees where a row without a value was seen not to match', async () => {
    const { differing, of } = await examine(honest(items(60)), [
      NUMBERED,
      OFFSET,
      'total: { at: n }',
      FILTER,
    ]);
    expect(differing).toEqual([]);
    expect(of('filter category eq unset')).toMatchObject({ verdict: 'agrees' });
  });

  it('differs where rows without a value match every value, and a superset is what was seen to be right', async () => {
    const loose = honest(items(60), (kind, asked) => kind === asked || kind === null);
    const { of } = await examine(loose, [NUMBERED, OFFSET, 'total: { at: n }', FILTER]);
    expect(of('filter category eq')).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('do not match'),
      hint: expect.stringContaining('exactness: superset'),
    });
  });

  it('cannot be told of rows without a value where there is none, and a superset is proposed', async () => {
    const { of, code } = await examine(honest(items(60, 99)), [NUMBERED, OFFSET, 'total: { at: n }', FILTER]);
    expect(code).toBe(0);
    expect(of('filter category eq unset')).toMatchObject({
      verdict: 'could not tell',
      observed: expect.stringContaining('no row without category was seen'),
      hint: expect.stringContaining('exactness: superset'),
    });
  });

  it('differs where the source filters after it has paged, and no total that counts all is advised', async () => {
    const all = items(60).map((item, n) => ({ ...item, kind: n >= 40 && n < 50 ? 'late' : 'k' }));
    const late = (request: UpstreamRequest): HttpReply => {
      const kind = request.query.get('kind');
      const rows = windowOf(all, request).filter((item) => kind === null || item.kind === kind);
      return { body: { rows, n: all.length } };
    };
    const { differing, of, out } = await examine(late, [NUMBERED, OFFSET, 'total: { at: n }', FILTER]);
    expect(differing).toEqual(['filter category eq']);
    expect(of('filter category eq')).toMatchObject({ hint: expect.stringContaining('exactness: none') });
    expect(out).not.toContain('counts: all');
  });

  it('is found to filter after paging also where the total is said to count all rows', async () => {
    const all = items(60).map((item, n) => ({ ...item, kind: n % 7 === 0 ? 'rare' : 'k' }));
    const late = (request: UpstreamRequest): HttpReply => {
      const kind = request.query.get('kind');
      const rows = windowOf(all, request).filter((item) => kind === null || item.kind === kind);
      return { body: { rows, n: all.length } };
    };
    const { differing } = await examine(late, [NUMBERED, OFFSET, 'total: { at: n, counts: all }', FILTER]);
    expect(differing).toEqual(['filter category eq']);
  });
});

describe('a list that was cut off', () => {
  const all = items(195);
  const capped = (request: UpstreamRequest): HttpReply => ({
    body: { rows: all.slice(0, Number(request.query.get('limit') ?? 20)) },
  });

  it('is a difference where as many rows come as a constant asks for', async () => {
    const constant = ["request: { path: /items, query: { limit: '50' } }", 'window: { kind: none }'];
    const { of } = await examine(capped, constant);
    expect(of('all rows')).toMatchObject({
      verdict: 'differs',
      observed: expect.stringMatching(
        /^50 rows, just as many as the constant limit asks for; with 100, 100 rows/,
      ),
      hint: expect.stringContaining('window:'),
    });
  });

  it('is mended by a larger constant where the list is shorter than that', async () => {
    const short = (request: UpstreamRequest): HttpReply => ({
      body: { rows: all.slice(0, Math.min(60, Number(request.query.get('limit')))) },
    });
    const constant = ["request: { path: /items, query: { limit: '50' } }", 'window: { kind: none }'];
    const { of } = await examine(short, constant);
    expect(of('all rows')).toMatchObject({ hint: "request: { query: { limit: '100' } }" });
  });

  it.each([
    [{ continue: { from: '50', continue: '||' } }, 'continue'],
    [{ paging: { nextPageToken: 'abc' } }, 'paging.nextPageToken'],
    [{ hasMore: true }, 'hasMore'],
  ])('is a difference where the reply says that there is more: %j', async (sign, key) => {
    const body = { rows: all.slice(0, 40), ...sign };
    const { of } = await examine(() => ({ body }), ['request: { path: /items }', 'window: { kind: none }']);
    expect(of('all rows')).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining(`its key ${key} says that there is more`),
    });
  });

  it('is no difference where the reply says that there is no more', async () => {
    const body = { rows: all.slice(0, 40), next: null, hasMore: false, cursor: '' };
    const { code, differing } = await examine(
      () => ({ body }),
      ['request: { path: /items }', 'window: { kind: none }'],
    );
    expect({ code, differing }).toEqual({ code: 0, differing: [] });
  });
});

it('names a row that is no record, with what would leave it out', async () => {
  const rows = [...items(30).map((item) => ({ ...item, kind: item.kind ?? 'k1' })), { id: 31, views: {} }];
  const answer = (request: UpstreamRequest): HttpReply => ({ body: { rows: windowOf(rows, request) } });
  const { differing, of } = await examine(answer, [NUMBERED, OFFSET]);
  expect(differing).toEqual(['records']);
  expect(of('records')).toMatchObject({
    observed: '1 row of 31 has none of the mapped fields',
    hint: 'dropWhen: [{ at: title, present: false }]',
  });
});

it('does not take a row that is hidden at the start for another number of the first row', async () => {
  const all = items(50);
  const hiding = (request: UpstreamRequest): HttpReply => ({
    body: { rows: windowOf(all, request).filter(({ id }) => id !== 1) },
  });
  const { of } = await examine(hiding, [NUMBERED, OFFSET]);
  expect(of('base')).toMatchObject({
    verdict: 'could not tell',
    observed: expect.stringContaining('hidden'),
  });
});

it('asks a second selection before it says that the first row has another number', async () => {
  const all = items(50);
  const late = (request: UpstreamRequest): HttpReply => {
    const { query } = request;
    const from = Number(query.get('from') ?? 0);
    // Without a filter, the numbers 0 and 1 are the same row.
    if (!query.has('kind')) query.set('from', String(Math.max(0, from - 1)));
    return honest(all)(request);
  };
  const { of } = await examine(late, [NUMBERED, OFFSET, FILTER]);
  expect(of('base')).toMatchObject({
    verdict: 'could not tell',
    observed: expect.stringContaining('two selections'),
  });
});

it('names the number of rows at which each kind of query stops working', async () => {
  const answer = (request: UpstreamRequest): HttpReply => ({ body: { rows: windowOf(items(60), request) } });
  const { of } = await examine(answer, [NUMBERED, OFFSET], { budget: '{ calls: 4 }' });
  expect(of('capacity')).toMatchObject({ observed: expect.stringContaining('80 rows are the most') });
  const { of: over, code } = await examine(answer, [NUMBERED, OFFSET], { budget: '{ calls: 2 }' });
  expect(over('capacity')).toMatchObject({ verdict: 'differs', hint: expect.stringContaining('budget') });
  expect(code).toBe(1);
});

it('counts rows without a field once, in one sentence', async () => {
  const rows: readonly Item[] = items(25).map((item) =>
    item.id === 7 ? { id: 7, title: 't7' } : { ...item, kind: 'k' },
  );
  // Behind the last row, this server gives its last page again.
  const answer = (request: UpstreamRequest): HttpReply => {
    const found = windowOf(rows, request);
    return { body: { rows: found.length === 0 ? rows.slice(20) : found } };
  };
  const { of } = await examine(answer, [NUMBERED, 'window: { kind: offset, sizeMax: 20, pastEnd: other }']);
  expect(of('field category')).toMatchObject({ observed: 'unknown in 1 of 25 rows: 1 without it' });
});
