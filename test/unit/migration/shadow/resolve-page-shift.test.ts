import { resources } from '../../../support/reference.ts';
import { firstPageQuery } from '../../../../src/migration/tasks/sample-questions.ts';
import type { AnswerDifference } from '../../../../src/migration/compare/comparison.ts';
import type { Confirmation } from '../../../../src/migration/shadow/confirm.ts';
import { withoutPageShift } from '../../../../src/migration/shadow/resolve-page-shift.ts';

const edge: AnswerDifference = { path: 'data[].id', kind: 'boundary', id: 'user_5', only: 'new' };
const name: AnswerDifference = { path: 'data[].name', kind: 'value', id: 'user_1' };

const confirmation = (changed: Partial<Confirmation>): Confirmation => ({
  ...{ verdict: 'transient', differences: [], ignored: [], transient: [], isRechecked: true },
  last: { found: false, tags: [] },
  ...changed,
});

/** What is left where the page after this one of the legacy list has `user_5`. */
async function leftOf(changed: Partial<Confirmation>) {
  const body = Buffer.from(
    JSON.stringify({ data: [{ id: 'user_5' }], meta: { total: 20, page: 2, limit: 5 } }),
  );
  const answer = { found: true, body, storedAt: 0, freshSeconds: 1, tags: [] } as const;
  const query = firstPageQuery(resources.users, { limit: 5 });
  return withoutPageShift(resources.users, query, confirmation(changed), () =>
    Promise.resolve({ kind: 'answered', answer, ms: 1, isFresh: true }),
  );
}

describe('what differed once', () => {
  it.each([
    { transient: [edge], ignored: [], verdict: 'match' },
    { transient: [edge], ignored: [name], verdict: 'ignored' },
    { transient: [edge, name], ignored: [], verdict: 'transient' },
  ] as const)(
    'is no record at the edge of a page, which may only have moved: $verdict',
    async ({ verdict, ...found }) => {
      const left = await leftOf(found);
      expect([left.verdict, left.transient]).toEqual([
        verdict,
        found.transient.filter((one) => one === name),
      ]);
    },
  );

  it('stays beside a record that has only moved: then the sources agree, and did not at first', async () => {
    const left = await leftOf({ verdict: 'mismatch', differences: [edge], transient: [name] });
    expect(left).toEqual({ verdict: 'transient', differences: [], ignored: [], transient: [name] });
  });
});
