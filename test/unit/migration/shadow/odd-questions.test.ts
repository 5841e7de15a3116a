import { fault } from '../../../../src/kernel/errors/fault.ts';
import { openShadow } from '../../../support/migration/open-shadow.ts';

describe('a comparison', () => {
  it('is odd if the new source fails at a question for which the legacy one has no record, however often', async () => {
    const { offer, outcomes, comparisons, until } = openShadow({
      next: () => Promise.reject(fault('upstream_error')),
    });
    for (let failed = 1; failed <= 30; failed += 1) {
      offer('legacy', { found: false, tags: [] });
      await until(() => comparisons.length === failed);
    }
    expect(comparisons.map(({ verdict }) => verdict)).toEqual(Array(30).fill('odd'));
    expect(new Set(outcomes)).toEqual(new Set(['error']));
  });
});
