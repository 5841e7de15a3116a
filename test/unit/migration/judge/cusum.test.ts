import { CUSUM_LIMIT, nextCusum } from '../../../../src/migration/statistics/cusum.ts';
import { createRandom } from '../../../../src/cli/demo/data/random.ts';

/** Asks the judge every two seconds until the limit is reached; says after how many seconds, or Infinity. */
function secondsUntilLimit(share: number, perSecond: number, seconds: number, seed: number): number {
  const random = createRandom(seed);
  let cusum = 0;
  for (let at = 2; at <= seconds; at += 2) {
    const calls = perSecond * 2;
    let failed = 0;
    for (let call = 0; call < calls; call += 1) if (random.chance(share)) failed += 1;
    cusum = nextCusum(cusum, { failed, answered: calls - failed });
    if (cusum >= CUSUM_LIMIT) return at;
  }
  return Infinity;
}

const slowestOf = (share: number, runs: number) =>
  Math.max(...Array.from({ length: runs }, (_, seed) => secondsUntilLimit(share, 10, 600, seed)));

describe('the CUSUM of failures', () => {
  test('four failures in a row reach the limit, and three do not', () => {
    expect(nextCusum(0, { failed: 3, answered: 0 })).toBeLessThan(CUSUM_LIMIT);
    expect(nextCusum(0, { failed: 4, answered: 0 })).toBeGreaterThanOrEqual(CUSUM_LIMIT);
  });

  test('answers bring it back to 0, never below', () => {
    expect(nextCusum(2.3, { failed: 0, answered: 51 })).toBe(0);
    expect(nextCusum(0, { failed: 0, answered: 1_000 })).toBe(0);
  });

  test('at 10 calls a second it finds 100 % faults in 5 s, and 20 % in 15 s, in each of 200 runs', () => {
    expect(slowestOf(1, 200)).toBeLessThanOrEqual(5);
    expect(slowestOf(0.2, 200)).toBeLessThanOrEqual(15);
  });

  test('at 10 calls a second it finds 5 % faults in 45 s, in 95 of 100 runs', () => {
    const runs = Array.from({ length: 100 }, (_, seed) => secondsUntilLimit(0.05, 10, 600, seed));
    expect(runs.filter((seconds) => seconds <= 45).length).toBeGreaterThanOrEqual(95);
  });

  test('it raises no false alarm in 8 hours at 0.25 % faults', () => {
    for (let seed = 0; seed < 2; seed += 1)
      expect(secondsUntilLimit(0.0025, 10, 8 * 3_600, seed)).toBe(Infinity);
  });
});
