import fc from 'fast-check';
import { modelList, type ModelRecord } from '../../../support/model/contract-model.ts';
import { openSource, type Serve } from '../../../support/pipeline/scripted-source.ts';
import { expectedBody, rowsReply, windowOf } from './shop.ts';

const text = fc.option(
  fc.constantFrom('', 'Ada', 'ada', 'Zoë', 'Zoe\u0308', 'Åsa', 'A\u030asa', '李', '😀', '\ue000', 'Ada '),
  { nil: null },
);
const instant = fc.option(
  fc.constantFrom(
    '2020-01-01T00:00:00Z',
    '2020-01-01T00:00:00.001Z',
    '2019-12-31T23:59:59.999Z',
    '0999-01-01T00:00:00Z',
  ),
  { nil: null },
);
const record: fc.Arbitrary<ModelRecord> = fc.record({
  id: fc
    .oneof(fc.nat(200).map(BigInt), fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 9n }))
    .map((n) => `user_${n}`),
  name: text,
  email: text,
  created_at: instant,
});
const people = fc.uniqueArray(record, { selector: ({ id }) => id, maxLength: 60 });

const directions = fc.constantFrom('[ascending]', '[descending]', '[ascending, descending]');
const crm = fc.record({
  sizeMax: fc.integer({ min: 1, max: 70 }),
  order: fc.constantFrom('id', 'unknown'),
  columns: fc.dictionary(fc.constantFrom('id', 'name', 'email', 'created_at'), directions),
});
type Crm = typeof crm extends fc.Arbitrary<infer T> ? T : never;

const question = fc
  .record(
    {
      page: fc.constantFrom('1', '2', '3', '9'),
      limit: fc.constantFrom('1', '7', '10', '50', '100'),
      sort: fc
        .tuple(fc.constantFrom('', '-'), fc.constantFrom('id', 'name', 'email', 'created_at'))
        .map((pair) => pair.join('')),
    },
    { requiredKeys: [] },
  )
  .map((parameters) => new URLSearchParams(parameters).toString());

const map = 'id: id, name: name, email: email, created_at: { from: created_at, as: [iso8601] }';

function textOf({ sizeMax, order, columns }: Crm): string {
  const listed = Object.entries(columns).map(
    ([field, ways]) => `${field}: { column: ${field}, directions: ${ways} }`,
  );
  return `
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: ${sizeMax} }
      total: { at: hits }
      items: rows
      order: ${order}
      sort: { query: { sort: '{direction}{column}' }, ascending: '', descending: '-', columns: { ${listed.join()} } }
      map: { ${map} }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { ${map}, profile.bio: b, profile.location: l, profile.avatar_url: a }
`;
}

/** A CRM that sorts as it is asked, the way the contract does, and by nothing it does not claim. */
function serveAs({ order, columns }: Crm, rows: readonly ModelRecord[]): Serve {
  const sorted = (sort: string) => {
    const page = modelList('users', rows, { sort, limit: '100' });
    return page.status === 200 ? page.data : [];
  };
  return (asked) => {
    const { sort } = asked.parameters;
    if (sort !== undefined) {
      const way = sort.startsWith('-') ? 'descending' : 'ascending';
      expect(columns[sort.replace('-', '')]).toContain(way);
    }
    const ordered = sort === undefined ? (order === 'id' ? sorted('id') : rows) : sorted(sort);
    return rowsReply(windowOf(asked, ordered), ordered.length);
  };
}

describe('any order of any people, whatever the source can sort by', () => {
  it('is that of the contract, on every page, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        people,
        crm,
        fc.array(question, { minLength: 1, maxLength: 3 }),
        async (rows, what, questions) => {
          const source = openSource('users', textOf(what), serveAs(what, rows));
          for (const raw of questions) expect(await source.list(raw)).toBe(expectedBody('users', rows, raw));
          expect(source.contradicted).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('puts every record on exactly one page', async () => {
    await fc.assert(
      fc.asyncProperty(
        people,
        crm,
        question,
        fc.integer({ min: 1, max: 20 }),
        async (rows, what, raw, limit) => {
          const source = openSource('users', textOf(what), serveAs(what, rows));
          const seen: string[] = [];
          for (let page = 1; page <= Math.ceil(rows.length / limit) + 1; page += 1) {
            const asked = new URLSearchParams(raw);
            asked.set('page', String(page));
            asked.set('limit', String(limit));
            const body = JSON.parse(await source.list(asked.toString())) as {
              data: ModelRecord[];
              meta: { total: number };
            };
            expect(body.meta.total).toBe(rows.length);
            seen.push(...body.data.map(({ id }) => id));
          }
          expect(seen.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
        },
      ),
      { numRuns: 60 },
    );
  });
});
