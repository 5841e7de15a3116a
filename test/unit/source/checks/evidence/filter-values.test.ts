import { chooseFilterTrials } from '../../../../../src/source/checks/evidence/filter-values.ts';

describe('the values with which a filter by ids is tried', () => {
  const casedOf = (ids: readonly string[], kind: 'id' | 'reference' | 'enum' = 'reference') =>
    chooseFilterTrials(
      ids.map((to, index) => ({ id: String(index), to })),
      { field: 'to', kind },
      'eq',
    ).flatMap(({ filter, kind: how }) => (how === 'in other case' ? [filter.value] : []));

  it.each<[string, readonly string[], readonly string[]]>([
    ['of letters', ['cus_ab1'], ['cus_AB1']],
    ['without a prefix', ['Ab1'], ['AB1']],
    ['of digits', ['cus_17', 'cus_4'], []],
    ['with an escape, whose letters have one case', ['cus_a~2fb', 'cus_17'], []],
    ['in both cases', ['cus_ab', 'cus_AB'], []],
  ])('have one in another case: %s', (_what, ids, cased) => expect(casedOf(ids)).toEqual(cased));

  it('begin with one that a row has', () => {
    const records = [{ id: 'ord_ab', to: 'cus_ab' }];
    for (const kind of ['id', 'reference'] as const)
      expect(chooseFilterTrials(records, { field: 'to', kind }, 'eq')[0]?.filter).toMatchObject({
        value: 'cus_ab',
      });
  });
});
