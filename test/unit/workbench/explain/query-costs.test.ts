import { referenceContract } from '../../../support/reference.ts';
import { costTable } from '../../../../src/workbench/explain/report/cost-report.ts';
import { type QueryCost, queryCosts } from '../../../../src/pipeline/query-costs.ts';
import { renderText } from '../../../../src/workbench/explain/report/report.ts';
import { compileSources } from '../../../../src/source/compile-sources.ts';
import { loadSources } from '../../../../src/config/load.ts';
import { changed, loadTexts, sourceTexts } from '../../../support/gateway/config-texts.ts';

function costsOf(text: string) {
  const env = { variables: {}, readFile: () => '' };
  const [compiled] = compileSources(loadSources([{ file: 's.yaml', text }], env, []), referenceContract, []);
  return queryCosts(compiled!);
}
const catalog = sourceTexts['catalog.yaml']!;
const costOf = (text: string, query: string) => costsOf(text).find((cost) => cost.query === query);

describe('the costs of queries', () => {
  it('has every sort both ways, every filter and the single record', () => {
    const { compiled } = loadTexts({});
    const queries = Object.fromEntries(
      compiled.map((one) => [one.resource.name, queryCosts(one).map(({ query }) => query)]),
    );
    expect(queries).toEqual({
      products: ['(plain)', 'category=…', 'min_price=…', 'max_price=…'],
      users: [
        ...['(plain)', 'sort=id', 'sort=-id', 'sort=name', 'sort=-name', 'sort=email', 'sort=-email'],
        ...['sort=created_at', 'sort=-created_at', '/user_…'],
      ],
    });
  });

  it('tells pages from scans, with their calls', () => {
    expect(costsOf(catalog)).toEqual([
      { query: '(plain)', cost: 'page', calls: 1 },
      { query: 'category=…', cost: 'page', calls: 1, verifyingCalls: 3 },
      expect.objectContaining({ query: 'min_price=…', cost: 'scan', calls: 201, rowsMax: 20_000 }),
      expect.objectContaining({ query: 'max_price=…', cost: 'scan', calls: 201 }),
    ]);
  });

  it('counts a request for the total', () => {
    const text = changed(catalog, '{ header: X-Result-Count }', "{ at: '', count: { path: /count } }");
    expect(costOf(text, '(plain)')).toMatchObject({ cost: 'page', calls: 2 });
  });

  it('tells how far a budget reaches, and refuses what it can never answer', () => {
    const small = changed(catalog, 'rows: 20000, calls: 250', 'rows: 20000, calls: 7');
    expect(costOf(small, 'min_price=…')).toMatchObject({ cost: 'scan', calls: 7, rowsMax: 700 });
    const tiny = changed(catalog, 'rows: 20000, calls: 250', 'rows: 30, calls: 7');
    expect(costOf(tiny, 'min_price=…')).toMatchObject({ cost: 'refused', rowsMax: 30 });
  });

  it('is a table of lines', () => {
    expect(
      renderText([costTable(costsOf(catalog))], 1)
        .split('\n')
        .slice(1, 3),
    ).toEqual([
      '  category=…   page (1 call); once a minute, at most 3 more verify the filter',
      '  min_price=…  scan (the source does not filter by price (ge) exactly; at most 20000 rows in 201 calls)',
    ]);
  });

  it('says of a filter on a field without a column that it needs no call', () => {
    const costs: QueryCost[] = [{ query: 'category=…', cost: 'page', calls: 0 }];
    expect(renderText([costTable(costs)])).toBe(
      'category=…  no call: the file names no column for the field\n',
    );
  });

  it('shares lines where there are many queries, and says how many cost the same', () => {
    const many = (count: number): QueryCost[] =>
      Array.from({ length: count }, (_, index) => ({ query: `sort=f${index}`, cost: 'page', calls: 1 }));
    const scan = { cost: 'scan', calls: 5, reason: 'no order', rowsMax: 50 } as const;
    const costs = [...many(188), { query: 'a=…', ...scan }, { query: 'b=…', ...scan }];
    expect(renderText([costTable(costs)])).toBe(
      [
        'sort=f0, sort=f1 and 186 more  page (1 call)\n',
        'a=…, b=…                       scan (no order; at most 50 rows in 5 calls)\n',
      ].join(''),
    );
    const each = renderText([costTable(many(16))]).split('\n');
    expect(each).toHaveLength(17);
    expect(each[15]).toBe('sort=f15  page (1 call)');
    const different = many(40).map((cost, calls) => ({ ...cost, calls }));
    const lines = renderText([costTable(different)])
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(17);
    expect(lines[16]).toMatch(/^24 more kinds +see portico explain$/);
  });
});
