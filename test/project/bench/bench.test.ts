import { againstLines } from '../../bench/print-against.ts';
import { medianInterval, pairRounds } from '../../bench/paired.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the interval of a median', () => {
  // The ranks of the usual tables of the sign test, two-sided, 5 %.
  it.each([
    [6, 1, 6],
    [9, 2, 8],
    [15, 4, 12],
    [20, 6, 15],
    [25, 8, 18],
  ])('lies between the ranks of the sign test: of %i values, %i and %i', (count, low, high) => {
    expect(medianInterval(upTo(count).reverse())).toEqual({ median: (count + 1) / 2, low, high });
  });

  it('is all of the values where they are too few to say more', () => {
    expect(medianInterval([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
  });

  it('holds the true median of values drawn at random in about 95 of 100 cases, and never in fewer', () => {
    // A linear congruential generator: the same values in each run.
    let state = 1;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const holds = upTo(4_000).filter(() => {
      const { low, high } = medianInterval(upTo(15).map(() => random() ** 3));
      return low <= 0.125 && 0.125 <= high;
    });
    expect(holds.length / 4_000).toBeGreaterThan(0.95);
    expect(holds.length / 4_000).toBeLessThan(0.98);
  });
});

describe('a comparison of two servers', () => {
  it('is above 1 where the second one answers more, and where it takes less CPU', () => {
    const first = upTo(7).map((round) => ({ rate: 100 * round, cpuPerRequest: 300 * round }));
    const second = upTo(7).map((round) => ({ rate: 125 * round, cpuPerRequest: 200 * round }));
    expect(pairRounds(first, second)).toEqual({
      rate: { median: 1.25, low: 1.25, high: 1.25 },
      cpu: { median: 1.5, low: 1.5, high: 1.5 },
    });
  });

  it('compares round by round, so that what slows a round down for both does not count', () => {
    const first = [10, 1_000, 20, 500, 40, 80].map((rate) => ({ rate, cpuPerRequest: 1 / rate }));
    expect(pairRounds(first, first).rate).toEqual({ median: 1, low: 1, high: 1 });
  });

  it('compares instructions where all rounds counted them, and says nothing of them otherwise', () => {
    const counted = upTo(6).map((round) => ({
      rate: 1,
      cpuPerRequest: 1,
      instructionsPerRequest: 100 * round,
    }));
    const dearer = counted.map((sample) => ({
      ...sample,
      instructionsPerRequest: 2 * sample.instructionsPerRequest,
    }));
    expect(pairRounds(counted, dearer).instructions).toEqual({ median: 0.5, low: 0.5, high: 0.5 });
    expect(
      pairRounds(counted, [...dearer.slice(1), { rate: 1, cpuPerRequest: 1 }]).instructions,
    ).toBeUndefined();
  });

  it('is printed with its interval, and says which direction is good', () => {
    const ratio = { median: 1.0123, low: 0.9876, high: 1.0341 };
    const medians = [
      { rate: 5_000, cpuPerRequest: 180 },
      { rate: 5_060, cpuPerRequest: 178 },
    ] as const;
    const measures = { hit: { rate: ratio, cpu: ratio, medians } };
    const comparisons = [{ commit: 'abc1234', variant: 'this checkout', measures }];
    const printed = againstLines({ rounds: 15, seconds: 2, comparisons }).join('\n');
    expect(printed).toContain('above 1 says that this checkout is better');
    expect(printed).toContain('abc1234 → this checkout\n');
    expect(printed).toMatch(/hit, rate +1\.012 {2}0\.988–1\.034 +5000 → 5060 requests\/s/);
    expect(printed).toMatch(/hit, CPU per request +1\.012 {2}0\.988–1\.034 +180 → 178 µs/);
  });
});
