import { createRestarts } from '../../../src/workers/restarts.ts';

describe('workers that die', () => {
  it('are replaced at once where they had lived for a while', () => {
    const restarts = createRestarts();
    for (let i = 0; i < 20; i += 1) expect(restarts.died(60_000, false)).toEqual({ afterMs: 0 });
  });

  it('are replaced ever later where they die young, and given up with the fifth in a row', () => {
    const restarts = createRestarts();
    const verdicts = Array.from({ length: 5 }, () => restarts.died(50, false));
    expect(verdicts).toEqual([
      { afterMs: 100 },
      { afterMs: 200 },
      { afterMs: 400 },
      { afterMs: 800 },
      'give up',
    ]);
  });

  it('are never given up while others serve, but no oftener replaced than every ten seconds in the end', () => {
    const restarts = createRestarts();
    const verdicts = Array.from({ length: 30 }, () => restarts.died(50, true));
    expect(verdicts.at(-1)).toEqual({ afterMs: 10_000 });
  });

  it('are counted anew once one has lived for a while', () => {
    const restarts = createRestarts();
    for (let i = 0; i < 4; i += 1) restarts.died(50, false);
    restarts.died(60_000, false);
    expect(restarts.died(50, false)).toEqual({ afterMs: 100 });
  });
});
