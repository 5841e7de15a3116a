import { listBody, detailBody, type CanonicalRecord } from '../../../src/contract/response-body.ts';
import { resources } from '../../support/reference.ts';
import type { Filter } from '../../../src/contract/query.ts';
import { fault } from '../../../src/kernel/errors/fault.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';
import { checkSourcesAgree } from '../../../src/migration/operate/check-sources-agree.ts';
import type { SourceHandler } from '../../../src/pipeline/stages/call.ts';

const users = resources.users;
const detail = { 'profile.bio': null, 'profile.location': null, 'profile.avatar_url': null };
const user = (n: number, name = `Person ${n}`): CanonicalRecord => ({
  ...{ id: `user_${n}`, name, email: `p${n}@x.test`, created_at: `2020-01-0${(n % 9) + 1}T00:00:00Z` },
  ...detail,
});
const everybody = Array.from({ length: 20 }, (_, n) => user(n + 1));

/** A source with these records, in this order; it cannot sort by what the test says. */
function sourceOf(records: readonly CanonicalRecord[], unsortable?: string): SourceHandler {
  return ({ query }) => {
    const made = { storedAt: 0, freshSeconds: 30, tags: [] };
    if (query.kind === 'get') {
      const found = records.find(({ id }) => id === query.id);
      if (found === undefined) return Promise.resolve({ found: false, tags: [] });
      return Promise.resolve({ found: true, body: Buffer.from(detailBody(users, found)), ...made });
    }
    if (query.sort !== null && query.sort.field === unsortable)
      return Promise.reject(fault('scan_limit_exceeded'));
    const page = records.slice(0, query.limit);
    const body = Buffer.from(listBody(users, page, { total: records.length, page: 1, limit: query.limit }));
    return Promise.resolve({ found: true, body, ...made });
  };
}

function check(legacy: SourceHandler, next: SourceHandler) {
  const run = { signal: new AbortController().signal, progress: () => undefined };
  return checkSourcesAgree({ resource: users, names: ['crm', 'people'], legacy, new: next }, run);
}

const product = (n: number): CanonicalRecord => ({
  ...{ id: `prod_${n}`, name: `Thing ${n}`, description: null },
  ...{ price: new Decimal(BigInt(100 * (1 + (n % 3))), 2), category: n % 2 === 0 ? 'Toys' : 'Books' },
});
const catalogue = Array.from({ length: 20 }, (_, n) => product(n + 1));

/** A source of products, which refuses some filters, and does the opposite of others. */
function productsOf(
  refuses: (filter: Filter) => boolean,
  inverts: (filter: Filter) => boolean,
): SourceHandler {
  function isMatch(record: CanonicalRecord, { field, op, value }: Filter): boolean {
    const found = record[field];
    if (op === 'eq') return found === value;
    const isBoth = found instanceof Decimal && value instanceof Decimal;
    return isBoth && Math.sign(found.compare(value)) !== (op === 'ge' ? -1 : 1);
  }
  return ({ query }) => {
    if (query.kind === 'get') return Promise.resolve({ found: false, tags: [] });
    if (query.filters.some(refuses)) return Promise.reject(fault('scan_limit_exceeded'));
    const rows = catalogue.filter((record) =>
      query.filters.every((filter) => isMatch(record, filter) !== inverts(filter)),
    );
    const meta = { total: rows.length, page: 1, limit: query.limit };
    const body = Buffer.from(listBody(resources.products, rows.slice(0, query.limit), meta));
    return Promise.resolve({ found: true, body, storedAt: 0, freshSeconds: 30, tags: [] });
  };
}

async function checkProducts(...next: Parameters<typeof productsOf>): Promise<readonly string[]> {
  const run = { signal: new AbortController().signal, progress: () => undefined };
  const never = () => false;
  const sources = { legacy: productsOf(never, never), new: productsOf(...next) };
  const names = ['crm', 'people'] as const;
  return (await checkSourcesAgree({ resource: resources.products, names, ...sources }, run)).problems;
}

describe('the check before a migration begins', () => {
  it('passes where both sources give the same records under the same ids', async () => {
    expect(await check(sourceOf(everybody), sourceOf(everybody))).toEqual({
      same: 20,
      asked: 20,
      problems: [],
    });
  });

  it('passes where single records lack or say something else: that is for the comparison', async () => {
    const next = everybody.slice(2).map((one, n) => (n === 3 ? { ...one, name: 'Someone' } : one));
    expect(await check(sourceOf(everybody), sourceOf(next))).toMatchObject({ same: 18, problems: [] });
  });

  it('refuses a source whose ids are those of other records', async () => {
    const shifted = everybody.map((one, n) => ({ ...user(100 + n), id: one.id, created_at: null }));
    const { problems } = await check(sourceOf(everybody), sourceOf(shifted));
    expect(problems).toEqual([
      'user_1, user_2, user_3 … of crm is another record in people: its file must map id from the field that keeps the old one',
    ]);
  });

  it('refuses a source that lacks more than a fifth of them', async () => {
    const { problems } = await check(sourceOf(everybody), sourceOf(everybody.slice(5)));
    expect(problems).toEqual([expect.stringContaining('people lacks 5 of 20 records of crm')]);
  });

  it('refuses another default order', async () => {
    const { problems } = await check(sourceOf(everybody), sourceOf(everybody.toReversed()));
    expect(problems).toEqual([expect.stringContaining('the default order of both sources is not the same')]);
  });

  it('refuses a source that cannot answer what the legacy one can', async () => {
    const { problems } = await check(sourceOf(everybody), sourceOf(everybody, 'name'));
    expect(problems).toEqual([
      'people cannot answer sort=name (scan_limit_exceeded), and crm can: write resources.users.list.sort.columns: { name: <its column> } in the file of people, or raise its budget; portico check shows what it costs',
      expect.stringContaining('people cannot answer sort=-name (scan_limit_exceeded)'),
    ]);
    expect((await check(sourceOf(everybody, 'name'), sourceOf(everybody, 'name'))).problems).toEqual([]);
  });

  it('refuses a source that cannot answer a filter that the legacy one can, with the line to write', async () => {
    const problems = await checkProducts(
      ({ field }) => field === 'category',
      () => false,
    );
    expect(problems).toEqual([
      "people cannot answer category=… (scan_limit_exceeded), and crm can: write resources.products.list.filters: { category: { eq: { query: { <its parameter>: '{value}' }, exactness: exact } } } in the file of people, or raise its budget; portico check shows what it costs",
    ]);
    expect(
      await checkProducts(
        () => false,
        () => false,
      ),
    ).toEqual([]);
  });

  it('refuses a source that answers a filter with other records, and says no value of them', async () => {
    const problems = await checkProducts(
      () => false,
      ({ op }) => op === 'le',
    );
    expect(problems).toEqual([
      expect.stringContaining(
        'people answers max_price=… with other records than crm: 0 of 13 ids are the same; look at resources.products.list.filters.price.le in both files',
      ),
    ]);
  });

  it('refuses a source that does not answer, with the code of its failure', async () => {
    const down: SourceHandler = () => Promise.reject(fault('upstream_unavailable'));
    expect((await check(sourceOf(everybody), down)).problems).toEqual([
      'people does not answer a list: upstream_unavailable; portico doctor says why',
    ]);
  });
});
