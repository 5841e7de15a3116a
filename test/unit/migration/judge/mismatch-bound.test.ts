import {
  isShareAtMost,
  keysNeeded,
  lowerBound,
  upperBound,
} from '../../../../src/migration/statistics/mismatch-bound.ts';

describe('the bound on the share of mismatches', () => {
  test.each([
    [0.001, 0, 2_995],
    [0.001, 1, 4_742],
    [0.001, 2, 6_294],
    [0.001, 3, 7_752],
    [0.005, 0, 598],
    [0.005, 1, 947],
    [0.0001, 0, 29_956],
    [0.0001, 1, 47_437],
  ])(
    'a share of %p with %p mismatches is certain from %p keys on, and not one key before',
    (share, hits, keys) => {
      expect(keysNeeded(share, hits)).toBe(keys);
      expect(isShareAtMost(share, keys, hits)).toBe(true);
      expect(isShareAtMost(share, keys - 1, hits)).toBe(false);
    },
  );

  test('the bounds are those of Clopper and Pearson', () => {
    // R: binom.test(10, 1000, alternative = "less" | "greater")$conf.int
    expect(upperBound(1_000, 10)).toBeCloseTo(0.016903, 6);
    expect(lowerBound(1_000, 10)).toBeCloseTo(0.005435, 6);
    expect(upperBound(2_210, 0)).toBeCloseTo(1 - 0.05 ** (1 / 2_210), 12);
  });

  test('nothing is certain without data, and not even a difference in every key makes a bound of more than 1', () => {
    expect(isShareAtMost(0.5, 0, 0)).toBe(false);
    expect([upperBound(0, 0), lowerBound(0, 0), upperBound(5, 5)]).toEqual([1, 0, 1]);
    expect(lowerBound(5, 5)).toBeCloseTo(0.05 ** (1 / 5), 9);
  });

  test('a share of 0 is never certain', () => {
    expect(keysNeeded(0, 0)).toBe(Infinity);
    expect(isShareAtMost(0, 1_000_000, 0)).toBe(false);
  });
});
