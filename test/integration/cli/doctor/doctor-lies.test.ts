import { openExaminer } from '../../../support/command/run-doctor.ts';
import { type Capabilities, CATEGORIES, type Row } from '../../../support/model/capabilities.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

const examiner = startForAll(openExaminer);

const NAMES = ['Ann', 'ann', 'Bob', 'Zoë', 'Émile', null, "O'Neil", 'Bob'];

/** 60 rows with ties, unknown values, prices down to 0, and categories that are awkward to be sent. */
function rowsOf({ resource }: Capabilities): readonly Row[] {
  return Array.from({ length: 60 }, (_, index) => {
    const id = `${resource === 'users' ? 'user' : 'prod'}_${index + 1}`;
    const name = NAMES[index % NAMES.length]!;
    const created = index % 9 === 0 ? null : '2020-01-01T00:00:00Z';
    const price = index % 10 === 3 ? null : `${index % 20}.50`;
    const category = index % 8 === 7 ? null : CATEGORIES[index % CATEGORIES.length]!;
    const record =
      resource === 'users'
        ? { id, name, email: `u${index % 7}@a.example`, created_at: created }
        : { id, name, description: null, price, category };
    return { native: String(index + 1), record, hidden: index % 2 === 1 && index < 10 };
  });
}

const honest: Capabilities = {
  resource: 'products',
  format: 'json',
  rows: 'list',
  ids: 'number',
  coded: false,
  style: 'query',
  ask: 'parameters',
  window: 'offset',
  base: 0,
  size: 10,
  depth: undefined,
  pastEnd: 'empty',
  total: 'path',
  counts: 'filtered',
  totalError: 0,
  filter: 'exact',
  sort: 'right',
  order: 'id',
  hides: false,
  marks: false,
  lacks: 'nothing',
  details: 'own',
  missing: '404',
};
const users: Capabilities = { ...honest, resource: 'users' };
const paged: Capabilities = { ...honest, window: 'page' };
const keyed: Capabilities = { ...honest, window: 'keyset' };
const deep: Capabilities = { ...honest, total: 'count', counts: 'all', depth: 35 };

/** What the file says, what the source does in place of it, and the probes that must say so. */
type Lie = readonly [
  what: string,
  says: Capabilities,
  does: Partial<Capabilities>,
  differing: readonly string[],
];

const FILTERS = ['filter category eq', 'filter price ge', 'filter price le'];
const TOTALS = FILTERS.map((name) => name.replace('filter', 'total with'));
const sorts = (...fields: string[]) =>
  fields.flatMap((field) => ['ascending', 'descending'].map((way) => `sort ${field} ${way}`));

const LIES: readonly Lie[] = [
  ['gives fewer rows than asked for', honest, { size: 4 }, ['size']],
  ['gives smaller pages than asked for', paged, { size: 4 }, ['size']],
  ['counts rows from 1 where the file says 0', honest, { base: 1 }, ['base']],
  ['counts rows from 0 where the file says 1', { ...honest, base: 1 }, { base: 0 }, ['base']],
  ['counts pages from 1 where the file says 0', paged, { base: 1 }, ['base']],
  ['counts pages from 0 where the file says 1', { ...paged, base: 1 }, { base: 0 }, ['base']],
  ['ignores filters', honest, { filter: 'ignored' }, FILTERS],
  ['filters after paging', honest, { filter: 'pageLocal' }, FILTERS],
  ['gives more rows than match', honest, { filter: 'superset' }, FILTERS],
  ['counts all rows in totals', honest, { counts: 'all' }, TOTALS],
  ['counts matching rows where the file says all', { ...honest, counts: 'all' }, { counts: 'filtered' }, []],
  ['tells a total that is too large', honest, { totalError: 3 }, ['total']],
  ['tells a total that is too small', honest, { totalError: -3 }, ['total']],
  ['counts wrong by a request of its own', { ...honest, total: 'count' }, { totalError: 1 }, ['total']],
  ['mixes its rows with each window', honest, { order: 'random' }, ['order']],
  ['mixes its rows, said to be in its own order', { ...honest, order: 'own' }, { order: 'random' }, ['walk']],
  ['gives the last page behind the end', honest, { pastEnd: 'last' }, ['past end']],
  ['begins again behind the end', honest, { pastEnd: 'wrap' }, ['past end']],
  ['answers 404 behind the end', paged, { pastEnd: 404 }, ['past end']],
  ['hides rows after paging', honest, { hides: true }, ['short windows']],
  ['cannot reach as deep as all rows', honest, { depth: 35 }, ['reach']],
  [
    'breaks ties otherwise with each window',
    users,
    { sort: 'unstable' },
    sorts('name', 'email', 'created_at'),
  ],
  ['sorts like a telephone book', users, { sort: 'collation' }, sorts('id', 'name', 'created_at')],
  ['does not sort', users, { sort: 'ignored' }, sorts('id', 'name', 'email', 'created_at').slice(1)],
  ['mixes the rows behind a key', keyed, { order: 'random' }, ['order']],
  ['says in another way that there is no record', users, { missing: '403' }, ['missing id']],
  ['answers 200 where there is no record', users, { missing: '200 null' }, ['missing id']],
];

describe('portico doctor, in front of a source whose file lies', () => {
  it.each(LIES)('names the false claim, and no other: %s', async (_what, says, does, differing) => {
    const run = await examiner.model({ ...says, ...does }, rowsOf(says), says);
    expect(run.differing).toEqual(differing);
    expect(run.code).toBe(differing.length === 0 ? 0 : 1);
    for (const finding of run.findings.filter(({ verdict }) => verdict === 'differs')) {
      expect(finding.hint).toEqual(expect.stringMatching(/\w/));
      expect(finding).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
    }
  });

  it('finds nothing wrong where the file says what is true', async () => {
    for (const says of [honest, paged, users, keyed, deep]) {
      const { code, differing } = await examiner.model(says, rowsOf(says));
      expect({ code, differing }).toEqual({ code: 0, differing: [] });
    }
  });

  it('prints no value of a record, and no field beside the mapped ones', async () => {
    examiner.upstream.become({ ...honest, filter: 'superset' }, rowsOf(honest));
    const { out } = await examiner.model({ ...honest, filter: 'superset' }, rowsOf(honest), honest);
    expect(out).not.toMatch(new RegExp(`canary|Möbel|Kid|M%C3|${NAMES.filter(Boolean).join('|')}`));
    expect(out).toContain('category.eq=***');
  });
});
