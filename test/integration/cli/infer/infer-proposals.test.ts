import { draftOf, listing, products, type Row, users, withGaps } from './listing.ts';
import { compileDraft, inferDraft, runInfer } from '../../../support/dialects/infer-draft.ts';
import { notFound, serve } from '../../../support/dialects/serve.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

const byCategory = (rows: readonly Row[], query: URLSearchParams, others: (row: Row) => boolean) => {
  const wanted = query.get('category');
  return wanted === null ? rows : rows.filter((row) => row['category'] === wanted || others(row));
};

describe('a proposed filter', () => {
  it('is exact where rows without a value were seen not to match', async () => {
    const { list, said } = await draftOf(
      listing(withGaps, (rows, query) => byCategory(rows, query, () => false)),
      'products',
    );
    expect(list.filters['category']?.eq?.exactness).toBe('exact');
    expect(said('resources.products.list.filters.category.eq')[0]?.confidence).toBe('sure');
  });

  it('is a superset where rows without a value match every value', async () => {
    const { list } = await draftOf(
      listing(withGaps, (rows, query) => byCategory(rows, query, (row) => row['category'] === null)),
      'products',
    );
    expect(list.filters['category']?.eq?.exactness).toBe('superset');
  });

  it('is a superset where no row without a value was there to show it', async () => {
    const { list, said } = await draftOf(
      listing(products, (rows, query) => byCategory(rows, query, () => false)),
      'products',
    );
    expect(list.filters['category']?.eq?.exactness).toBe('superset');
    expect(JSON.stringify(said('resources.products.list.filters.category.eq'))).toContain('exact');
  });

  it.each([
    ['_', (op: string) => `_${op}`],
    ['__', (op: string) => `__${op}`],
    ['brackets', (op: string) => `[${op}]`],
  ])('is found for equality and bounds alike where operators are spelled with %s', async (_name, spell) => {
    const dialect = listing(products, (rows, query) =>
      rows.filter((row) => {
        const bound = (op: string) => query.get(`price${spell(op)}`);
        const category = query.get(`category${spell('eq')}`);
        return (
          (category === null || row['category'] === category) &&
          Number(row['price']) >= Number(bound('gte') ?? -1) &&
          Number(row['price']) <= Number(bound('lte') ?? 999)
        );
      }),
    );
    const { list } = await draftOf(dialect, 'products');
    expect([
      list.filters['category']?.eq?.query,
      list.filters['price']?.ge?.query,
      list.filters['price']?.le?.query,
    ]).toEqual([
      { [`category${spell('eq')}`]: '{value}' },
      { [`price${spell('gte')}`]: '{value}' },
      { [`price${spell('lte')}`]: '{value}' },
    ]);
  });

  it('is said not to have been tried where none is known', async () => {
    const { report } = await draftOf(() => ({ body: products.slice(0, 7) }), 'products');
    expect(report.draft).toContain('no filter was tried');
  });
});

/** Rows sorted by the parameters `sort` and `order`, or by `sort=-name`. */
const sortedBy = (signed: boolean) => (rows: readonly Row[], query: URLSearchParams) => {
  const given = query.get('sort') ?? 'id';
  const column = given.replace(/^-/, '');
  const down = signed ? given.startsWith('-') : query.get('order') === 'desc';
  const key = (row: Row) => row[column] as string | number;
  const ascending = [...rows].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  return down ? ascending.toReversed() : ascending;
};

describe('a proposed sort', () => {
  it.each([
    ['a sign', true],
    ['a parameter of its own', false],
  ])('is a template for every column where the direction is %s', async (_name, signed) => {
    const { list, report } = await draftOf(listing(users, sortedBy(signed)), 'users');
    expect(Object.keys(list.sort?.columns ?? {})).toEqual(
      expect.arrayContaining(['name', 'email', 'created_at']),
    );
    expect(report.trials.map(({ status }) => status)).toEqual(report.trials.map(() => 200));
    expect(report.edits).toBe(0);
  });
});

describe('a proposed total', () => {
  it('is found in a header of any name', async () => {
    const dialect = listing(
      products,
      (rows) => rows,
      (items, total) => ({ headers: { 'X-Acme-Bestand': String(total) }, body: { items } }),
    );
    const { list } = await draftOf(dialect, 'products');
    expect(list.total?.header?.toLowerCase()).toBe('x-acme-bestand');
  });
});

describe('proposed ids', () => {
  it('are text where digits stand in texts, for the next one may be a word', async () => {
    const rows = users.map((row) => ({ ...row, id: String(row['id']), age: 7 }));
    const { id } = await draftOf(
      listing(rows, (all) => all),
      'users',
    );
    expect(id.kind).toBe('text');
  });

  it('have the form that all of them have, where it is one that ids are generated in', async () => {
    const rows = users.map((row, n) => ({
      ...row,
      id: `0b7c1d2e-0000-4000-8000-${String(n).padStart(12, '0')}`,
    }));
    const { id } = await draftOf(
      listing(rows, (all) => all),
      'users',
    );
    expect(new RegExp(`^(?:${id.form ?? 'none'})$`).test(rows[0]!['id'])).toBe(true);
  });
});

describe('a proposed window', () => {
  it('is found where the body of the request begins in the middle of the list', async () => {
    const running = endAfterTest(
      await serve(
        ({ body, method }) => {
          if (method !== 'POST') return notFound;
          const { page, size } = JSON.parse(body) as { page: number; size: number };
          return { body: { items: users.slice((page - 1) * size, page * size), total: users.length } };
        },
        { open: true },
      ),
    );
    const report = await inferDraft([running.origin, '--resource', 'users', '--name', 'draft'], {
      '--body': JSON.stringify({ page: 3, size: 10 }),
    });
    const { window } = compileDraft(report.draft).source.spec.resources['users']!.list;
    expect(window).toMatchObject({ kind: 'page', base: 1 });
  });

  it('never waits for a call as long as for a scan', async () => {
    const { report } = await draftOf(
      listing(users, (rows) => rows),
      'users',
    );
    const { net, budget } = compileDraft(report.draft).source.spec;
    expect(net.timeout).toBeLessThan(budget.time);
  });
});

describe('the view of one record', () => {
  it.each(['_all_docs', 'list'])('is found beside a list at /people/%s, with its 404', async (name) => {
    const people = listing(users, (rows) => rows);
    const { get, report } = await draftOf(
      (asked) => {
        if (asked.path === `/people/${name}`) return people({ ...asked, path: '/list' });
        const id = /^\/people\/(\d+)$/.exec(asked.path)?.[1];
        return id === undefined ? notFound : people({ ...asked, path: `/list/${id}` });
      },
      'users',
      `/people/${name}`,
    );
    expect(get?.request.path).toBe('/people/{id}');
    const { outcomes } = compileDraft(report.draft).source.spec;
    expect(outcomes.find(({ status }) => String(status) === '404')).toMatchObject({ is: 'not_found' });
  });
});

describe('a list of errors', () => {
  it('is not taken for the records', async () => {
    const running = endAfterTest(
      await serve(() => ({ body: { errors: [{ id: 1, name: 'x', message: 'no such field' }] } }), {
        open: true,
      }),
    );
    const run = await runInfer([running.origin, '--resource', 'users', '--name', 'draft']);
    expect({ code: run.code, err: run.err }).toEqual({
      code: 1,
      err: expect.stringContaining('reports errors'),
    });
  });
});
