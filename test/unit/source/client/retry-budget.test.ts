import { createRetryBudget } from '../../../../src/source/resilience/resilience.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

function openBudget(percent = 10) {
  const clock = createManualClock();
  const budget = createRetryBudget(percent, () => clock.monotonic());
  /** Makes calls that all fail; how many were sent again. */
  function fail(calls: number): number {
    let again = 0;
    for (let call = 0; call < calls; call += 1) {
      budget.earn();
      if (budget.spend()) again += 1;
    }
    return again;
  }
  return { clock, budget, fail };
}

describe('a retry budget', () => {
  it('allows retries of a tenth of all calls if all fail, and one more', () => {
    expect(openBudget().fail(1_000)).toBe(101);
  });

  it('allows one retry every ten seconds for a source with few calls', () => {
    const { clock, fail } = openBudget();
    expect([fail(1), fail(1)]).toEqual([1, 0]);
    clock.advance(10_000);
    expect([fail(1), fail(1)]).toEqual([1, 0]);
  });

  it('keeps at most ten tokens of calls without retries', () => {
    const { budget, fail } = openBudget();
    for (let call = 0; call < 10_000; call += 1) budget.earn();
    expect(fail(50)).toBe(10 + 5);
  });

  it('grants none where its percentage is 0', () => {
    expect(openBudget(0).fail(1_000)).toBe(0);
  });
});
