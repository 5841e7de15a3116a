import type { ListPlan } from '../../../../../src/source/adapter/plan/plan.ts';
import { contradicted, inconsistent } from '../../../../../src/source/checks/claim.ts';
import { fault } from '../../../../../src/kernel/errors/fault.ts';
import {
  isPlanFailure,
  rowVanished,
  totalIsLowerBound,
} from '../../../../../src/pipeline/reading/windows/plan-failure.ts';
import {
  type DatedPage,
  errorAfter,
  nextAttempt,
  noAttempts,
  type PageAttempt,
  type SearchState,
} from '../../../../../src/pipeline/reading/pages/next-attempt.ts';

const page: DatedPage = { kind: 'page', records: [], total: 0, storedAt: 0, freshSeconds: 1 };
const planWith = (...dependsOn: string[]) =>
  ({ kind: 'page', dependsOn, count: undefined }) as unknown as ListPlan;
const moved = inconsistent('rows moved');

/** The last step after some attempts with one plan, and all claims that were switched off on the way. */
function after(attempts: readonly PageAttempt[], plan = planWith('order')) {
  let state: SearchState = noAttempts;
  const off: string[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const step = nextAttempt(state, plan, attempt);
    off.push(...step.newlyDisabled.keys());
    if (step.kind !== 'again' || index === attempts.length - 1) return { step, off };
    state = step.state;
  }
  throw new Error('at least one attempt');
}

describe('the step after an attempt at a page', () => {
  it('is the answer where the attempt brought a page', () => {
    expect(after([page]).step).toMatchObject({ kind: 'done', page });
  });

  it('switches a claim off at its second contradiction, and not at the first', () => {
    expect(after([contradicted('order')])).toMatchObject({ step: { kind: 'again' }, off: [] });
    expect(after([contradicted('order'), contradicted('order')]).off).toEqual(['order']);
    expect(after([contradicted('order'), contradicted('sort.name.ascending')]).off).toEqual([]);
  });

  it('does without the total for this query where it is only a bound, and switches nothing off', () => {
    const { step, off } = after([totalIsLowerBound, page]);
    expect([step.kind, off]).toEqual(['done', []]);
    expect(after([totalIsLowerBound]).step).toMatchObject({ state: { unusable: new Set(['total']) } });
  });

  it('reads the list again once where a row vanished, newer than it was', () => {
    const vanished = { ...rowVanished, listedAt: 5 };
    expect(after([vanished]).step).toMatchObject({ kind: 'again', state: { vanished } });
    expect(after([vanished, vanished]).step).toMatchObject({ kind: 'fail', error: { reason: 'rows' } });
  });

  it('walks again at the first inconsistency, then leaves out the filters, and switches them off if that helps', () => {
    const plan = planWith('order', 'filter.category.eq');
    expect(after([moved], plan).step).toMatchObject({ state: { isMoved: true, blamed: new Set() } });
    expect(after([moved, moved], plan).step).toMatchObject({
      state: { isMoved: false, blamed: new Set(['filter.category.eq']) },
    });
    expect(after([moved, moved, page], plan).off).toEqual(['filter.category.eq']);
  });

  it('fails where total and rows disagree twice, and no claim is left that may be why', () => {
    const plan = { kind: 'scan', dependsOn: ['order'], totalCounts: false } as unknown as ListPlan;
    expect(after([moved, moved], plan).step).toMatchObject({ kind: 'fail', error: { reason: 'window' } });
  });

  it('fails after twelve attempts', () => {
    const attempts = Array.from({ length: 12 }, (_, index) => contradicted(`filter.f${String(index)}.eq`));
    expect(after(attempts.slice(1)).step.kind).toBe('again');
    expect(after(attempts).step).toMatchObject({ kind: 'fail', error: { reason: 'claims' } });
  });
});

describe('a scan over budget', () => {
  it('is the fault of the source where it was to settle a disagreement', () => {
    const over = fault('scan_limit_exceeded');
    expect(errorAfter(noAttempts, over)).toBe(over);
    expect(errorAfter({ ...noAttempts, disagreement: moved }, over)).toMatchObject({ reason: 'window' });
  });
});

describe('a mismatch', () => {
  it('is told apart from every other result', () => {
    expect([moved, rowVanished, 7, undefined, { records: [] }].map(isPlanFailure)).toEqual([
      ...[true, true, false, false, false],
    ]);
  });
});
