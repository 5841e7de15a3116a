import { compareStores } from '../../support/migration/stores/differing-stores.ts';
import { listSituations } from '../../support/migration/situations-of-lists.ts';
import { planted } from '../../support/migration/planted-differences.ts';

const operations = ['list', 'get'] as const;
/** Each kind of difference in each operation whose answers can have it. */
const cases = planted.flatMap((one) =>
  operations.flatMap((operation) => {
    const found = one.found[operation];
    return found === null ? [] : [{ planted: one, kind: one.kind, operation, found }];
  }),
);
const differing = cases.flatMap(({ found, ...one }) =>
  typeof found === 'string' || found.length === 0 ? [] : [{ ...one, found }],
);

describe('a difference between two stores', () => {
  it.each(differing)('is found under its path and kind: $kind, $operation', async (one) => {
    const { verdict, differences } = await compareStores(one.planted, one.operation);
    expect({ verdict, differences }).toEqual({ verdict: 'mismatch', differences: one.found });
  });

  it.each(differing)('is ignored where a rule says so: $kind, $operation', async (one) => {
    const decided = { owner: 'ana', reason: 'agreed', until: '2099-01-01' };
    const ignore = one.found.map((text) => ({ path: text.split('|')[0]!, ...decided }));
    const all = { verdict: 'ignored', differences: [], ignored: one.found };
    expect(await compareStores(one.planted, one.operation, { ignore })).toEqual(all);
  });

  it.each(cases.filter(({ found }) => found.length === 0))(
    'is none where v1 records do not show it: $kind, $operation',
    async (one) => {
      const nothing = { verdict: 'match', differences: [], ignored: [] };
      expect(await compareStores(one.planted, one.operation)).toEqual(nothing);
    },
  );

  it.each(cases.filter(({ found }) => typeof found === 'string'))(
    'is a failure of the new source if its answer is refused, and odd if there is no record: $kind, $operation',
    async (one) => {
      expect(await compareStores(one.planted, one.operation)).toMatchObject({ verdict: one.found });
    },
  );

  it('is of one of 24 kinds', () => {
    expect(new Set(planted.map(({ kind }) => kind)).size).toBe(24);
  });
});

describe('a list of two stores', () => {
  it.each(listSituations)('is reported as what it is: $name', async ({ found, compare, ...differing }) => {
    expect(await compareStores(differing, 'list', compare)).toEqual(found);
  });
});
