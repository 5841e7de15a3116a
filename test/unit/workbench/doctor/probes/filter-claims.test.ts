import { declaredFilters, filterClaims } from '../../../../../src/workbench/doctor/probes/filter-claims.ts';
import {
  items,
  type Item,
  listOf,
  probeAlone,
  type Service,
  withAsk,
} from '../../../../support/doctor/probe-alone.ts';

const filter = (exactness: string, more = '') => [
  `filters: { category: { eq: { query: { kind: '{value}' }, exactness: ${exactness}${more} } } }`,
];
const rows = items(12);
const NAME = 'filter category eq';

/** All that the probe of the filter finds, by its names. */
async function found(service: Service, exactness = 'exact') {
  const { findings } = await probeAlone(filterClaims, service, { list: filter(exactness) });
  return new Map(findings.map((finding) => [finding.probe, finding]));
}

/** A list whose filter leaves the rows that a rule keeps. */
const filtering =
  (all: readonly Item[], keeps: (row: Item, value: string) => boolean): Service =>
  (request) => {
    const value = request.query.get('kind');
    const left = value === null ? all : all.filter((row) => keeps(row, value));
    request.query.delete('kind');
    return listOf(left)(request);
  };

describe('the probe of an exact filter', () => {
  it('agrees if each value brings just its rows, and none a value that nobody has', async () => {
    expect((await found(listOf(rows))).get(NAME)).toMatchObject({
      verdict: 'agrees',
      observed: expect.stringMatching(/\(3 of the 3 that rows have\), 1\d rows looked at$/),
    });
  });

  it('differs if case is ignored, and proposes superset', async () => {
    const finding = (
      await found(
        filtering(
          [...rows, { id: 13, title: 'x', kind: 'K0' }],
          (row, value) => String(row.kind).toLowerCase() === value.toLowerCase(),
        ),
      )
    ).get(NAME);
    expect(finding?.verdict).toBe('differs');
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([
      { at: ['resources', 'products', 'list', 'filters', 'category', 'eq', 'exactness'], value: 'superset' },
    ]);
  });

  it('differs if the parameter does nothing', async () => {
    expect((await found(filtering(rows, () => true))).get(NAME)).toMatchObject({ verdict: 'differs' });
  });

  it('differs if a matching row is left out, and proposes no filter at all', async () => {
    const finding = (await found(filtering(rows, (row, value) => row.kind === value && row.id !== 4))).get(
      NAME,
    );
    expect(finding?.verdict).toBe('differs');
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([
      { at: ['resources', 'products', 'list', 'filters', 'category', 'eq'], value: undefined },
    ]);
  });

  it('does not know whether rows without a value match everything, if no row was without one', async () => {
    expect((await found(listOf(rows))).get(`${NAME} unset`)).toMatchObject({
      verdict: 'could not tell',
      observed: expect.stringContaining('no row without category was seen'),
    });
  });

  it('agrees that rows without a value match nothing, once one was left out', async () => {
    expect(
      (await found(listOf([...rows, { id: 13, title: 'x', kind: null }]))).get(`${NAME} unset`),
    ).toMatchObject({
      verdict: 'agrees',
      observed: expect.stringMatching(/^1 row without category, left out by \d values$/),
    });
  });

  it('differs if the total is that of the whole list', async () => {
    const counting: Service = (request) => {
      const { body } = listOf(rows)(request) as { body: { rows: unknown } };
      return { body: { ...body, total: rows.length } };
    };
    const findings = await found(counting);
    expect([...findings.values()].filter(({ verdict }) => verdict === 'differs')).not.toEqual([]);
  });
});

describe('the probe of a filter that may bring more', () => {
  it('agrees if more rows come and none is missing', async () => {
    const prefix = filtering([...rows, { id: 13, title: 'x', kind: 'k00' }], (row, value) =>
      String(row.kind).startsWith(value),
    );
    expect((await found(prefix, 'superset')).get(NAME)).toMatchObject({ verdict: 'agrees' });
  });

  it('notes that it is exact if just the matching rows come', async () => {
    const finding = (await found(listOf(rows), 'superset')).get(NAME);
    expect(finding).toMatchObject({
      verdict: 'noted',
      observed: expect.stringContaining('just the matching rows'),
    });
    expect(finding?.advice?.tries?.[0]?.sets[0]?.value).toBe('exact');
  });

  it('notes that it leaves out nothing', async () => {
    expect(
      (
        await found(
          filtering(rows, () => true),
          'superset',
        )
      ).get(NAME),
    ).toMatchObject({
      verdict: 'noted',
      observed: expect.stringContaining('the filter leaves out nothing'),
    });
  });
});

describe('the filters that are probed', () => {
  it.each([
    ['exact', ['category']],
    ['superset', ['category']],
    ['none', []],
  ])('with exactness %s are %j', async (exactness, fields) => {
    const declared = await withAsk(listOf(rows), { list: filter(exactness) }, (ask) =>
      Promise.resolve(declaredFilters(ask)),
    );
    expect(declared.map(({ field }) => field)).toEqual(fields);
  });
});
