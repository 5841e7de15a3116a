import { quotingCases } from '../../claims/values/quoting.ts';
import { rowOf } from '../../claims/values/run-case.ts';
import { scanCacheCases } from '../../claims/values/scan-cache.ts';
import { typeCases } from '../../claims/values/types.ts';

const options = { queries: 0, seed: 1, writes: 0, infer: true };

/** Rows of `npm run test:claims`: of each kind, one whose service is faulty, and one whose service is correct. */
describe('a filter of a service with such values, types or writes', () => {
  const names = [
    ...['types: a price is a text later', 'types: unknown prices are n/a, and match nothing (correct)'],
    'types: a price was a text before, behind a draft',
    'values: a backslash is not unescaped between double quotes',
    'values: difficult ones (offset products, correct)',
    'scan cache: filters by an old index (offset products)',
    'scan cache: older than the writes, correct (cursor products)',
  ];
  const cases = [...typeCases, ...quotingCases, ...scanCacheCases].filter(({ name }) => names.includes(name));

  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    expect(cases).toHaveLength(names.length);
    const { failures } = await rowOf(one).run(options);
    expect(failures).toEqual([]);
  });
});
