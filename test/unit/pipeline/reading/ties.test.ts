import fc from 'fast-check';
import { modelList, type ModelRecord } from '../../../support/model/contract-model.ts';
import { type Asked, openSource, type Serve } from '../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';
import { toGatewayError } from '../../../../src/kernel/errors/fault.ts';
import { expectedBody } from './shop.ts';

const WINDOWS = {
  offset: "request: { path: /users, query: { from: '{offset}', n: '{limit}' } }",
  page: "request: { path: /users, query: { page: '{page}', n: '{limit}' } }",
  cursor: "request: { path: /users, query: { after: '{cursor}', n: '{limit}' } }",
};
type Shape = { readonly request: keyof typeof WINDOWS; readonly window: string; readonly tiebreak: boolean };

const map = 'id: id, name: name, email: email, created_at: { from: created_at, as: [iso8601] }';

function textOf({ request, window, tiebreak }: Shape): string {
  const [second, text] = tiebreak ? ['{tiebreak}', "tiebreak: ',id', "] : ['', ''];
  const columns = ['name', 'email', 'created_at'].map((field) => `${field}: { column: ${field} }`);
  return `
budget: { rows: 500, calls: 500 }
resources:
  users:
    id: { kind: number }
    list:
      ${WINDOWS[request]}
      window: ${window}
      total: { at: hits }
      items: rows
      sort: { query: { sort: '{direction}{column}${second}' }, ascending: '', descending: '-', ${text}columns: { ${columns.join()} } }
      map: { ${map} }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { ${map}, profile.bio: b, profile.location: l, profile.avatar_url: a }
`;
}

/** A number that looks like any other. */
const noise = (a: number, b: number) => (Math.imul(a ^ Math.imul(b, 0x9e3779b9), 0x85ebca6b) >>> 0) % 1_009;

/** The rows in the contract's order, but ties in one of their own, which may be another one for each limit and offset. */
function tied(rows: readonly ModelRecord[], sort: string, rank: (number: number) => number) {
  const field = sort.replace(/^-/, '').split(',')[0] ?? '';
  const pages = [1, 2, 3].map((page) =>
    modelList('users', rows, { sort: sort.split(',')[0] ?? '', limit: '100', page: String(page) }),
  );
  const sorted = pages.flatMap((page) => (page.status === 200 ? page.data : []));
  const groups = Map.groupBy(sorted, (row) => (row[field] as string | null)?.normalize('NFC') ?? null);
  const numberOf = ({ id }: { id: unknown }) => Number(String(id).slice('user_'.length));
  return [...groups.values()].flatMap((group) =>
    group.toSorted((a, b) => rank(numberOf(a)) - rank(numberOf(b))),
  );
}

const WAYS = {
  'anew for each limit and offset': (salt: number) => (id: number) => noise(id, salt),
  'by descending id': () => (id: number) => -id,
  'by ids as text': () => (id: number) => Number(`0.${id}1`),
  'by id': () => (id: number) => id,
};

/** A service that sorts by one column, and ties in some way. */
function serveTies(rows: () => readonly ModelRecord[], way: keyof typeof WAYS): Serve {
  return ({ parameters: { from, page, after, n = '50', sort = 'created_at' } }: Asked) => {
    const size = Number(n);
    const first =
      after !== undefined ? Number(after) : page !== undefined ? Number(page) * size : Number(from ?? 0);
    // A walk by cursors has one order; its first window has no cursor yet.
    const isCursor = from === undefined && page === undefined;
    const all = tied(rows(), sort, WAYS[way](isCursor ? 0 : first * 131 + size));
    const some = all.slice(first, first + size);
    const next = first + size < all.length ? `"${first + size}"` : 'null';
    const native = some.map((row) => ({ ...row, id: Number(row.id.slice('user_'.length)) }));
    return replyOf(`{"hits":${all.length},"next":${next},"rows":${JSON.stringify(native)}}`);
  };
}

const record: fc.Arbitrary<Omit<ModelRecord, 'id'>> = fc.record({
  name: fc.option(fc.constantFrom('Ada', 'Zoë', 'Zoe\u0308', '李', 'Bo', 'Cy', 'Di'), { nil: null }),
  email: fc.option(
    fc.nat(40).map((n) => `e${n}@x.example`),
    { nil: null },
  ),
  created_at: fc.nat(25).map((day) => `2024-01-${String(day + 1).padStart(2, '0')}T00:00:00Z`),
});
const people = fc
  .array(record, { minLength: 1, maxLength: 90 })
  .map((rows) => rows.map((row, i) => ({ ...row, id: `user_${i * 7 + 1}` })));

const shape: fc.Arbitrary<Shape> = fc
  .record({
    tiebreak: fc.boolean(),
  })
  .chain(({ tiebreak }) =>
    fc.oneof(
      fc.constantFrom(5, 20, 51, 100).map((size) => ({
        request: 'offset' as const,
        window: `{ kind: offset, sizeMax: ${size} }`,
        tiebreak,
      })),
      fc.constantFrom('[10]', '[7, 25]', '{ upTo: 40 }').map((sizes) => ({
        request: 'page' as const,
        window: `{ kind: page, base: 0, sizes: ${sizes} }`,
        tiebreak,
      })),
      fc.constantFrom(10, 30).map((size) => ({
        request: 'cursor' as const,
        window: `{ kind: cursor, sizeMax: ${size}, next: next, checkpoints: true }`,
        tiebreak,
      })),
    ),
  );

const question = fc
  .record({
    page: fc.constantFrom('1', '2', '3', '5'),
    limit: fc.constantFrom('1', '2', '7', '50'),
    sort: fc
      .tuple(fc.constantFrom('', '-'), fc.constantFrom('name', 'email', 'created_at'))
      .map((pair) => pair.join('')),
  })
  .map((parameters) => new URLSearchParams(parameters).toString());

/** Whether a row can be in none of the windows that there are. Then no answer is right, and it has to be an error. */
const canLoseRows = (way: keyof typeof WAYS, { window }: Shape) =>
  way === 'anew for each limit and offset' && window.includes('sizes: [10]');

describe('a page of rows that tie in the sort', () => {
  it.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
    'is the one that the contract says, where the source orders ties %s',
    (way) =>
      fc.assert(
        fc.asyncProperty(
          people,
          shape,
          fc.array(question, { minLength: 1, maxLength: 6 }),
          async (rows, one, questions) => {
            const source = openSource(
              'users',
              textOf(one),
              serveTies(() => rows, way),
            );
            for (const raw of questions) {
              const body = await source.list(raw).catch((error: unknown) => {
                if (canLoseRows(way, one) && toGatewayError(error).code === 'upstream_invalid_response')
                  return undefined;
                throw error;
              });
              if (body !== undefined) expect([raw, body]).toEqual([raw, expectedBody('users', rows, raw)]);
            }
            if (one.request !== 'cursor') expect(source.contradicted).toEqual([]);
            await source.close();
          },
        ),
        { numRuns: 150 },
      ),
  );
});
