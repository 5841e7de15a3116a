import { createRandom } from '../../../../../src/cli/demo/data/random.ts';

describe('the seeded source of choices', () => {
  it('is mulberry32: the published first values for seed 1', () => {
    const random = createRandom(1);
    const values = Array.from({ length: 3 }, () => random.below(2 ** 32));
    expect(values).toEqual([2693262067, 11749833, 2265367787]);
  });

  it('gives numbers that ascend by at most the gap', () => {
    const numbers = createRandom(5).ascending(500, 4);
    const gaps = numbers.map((number, index) => number - (numbers[index - 1] ?? 0));
    expect(numbers).toHaveLength(500);
    expect(new Set(gaps)).toEqual(new Set([1, 2, 3, 4]));
  });

  it('gives a chance its share', () => {
    const random = createRandom(9);
    const hits = Array.from({ length: 10_000 }, () => random.chance(0.25)).filter(Boolean).length;
    expect(hits / 10_000).toBeCloseTo(0.25, 1);
  });
});
