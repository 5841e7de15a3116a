import { trendOf } from './trend.ts';

/** Readings of a line with a deviation that repeats. */
const line = (slope: number, noise = 0, count = 60) =>
  Array.from({ length: count }, (_, n) => ({
    at: n / count,
    value: 40 + slope * (n / count) + noise * (((n * 7) % 11) / 5 - 1),
  }));

describe('the trend of a series', () => {
  it.each([0, 0.5, -3])('of a line is its slope: %f', (slope) => {
    const { slope: found, low, high } = trendOf(line(slope));
    expect([found, low, high].map((one) => Math.round(one * 1e6) / 1e6)).toEqual([slope, slope, slope]);
  });

  it('is told with an interval that holds the slope, the wider the more the readings deviate', () => {
    const [little, much] = [0.1, 2].map((noise) => trendOf(line(1, noise)));
    for (const { low, high } of [little!, much!]) {
      expect(low).toBeLessThanOrEqual(1);
      expect(high).toBeGreaterThanOrEqual(1);
    }
    expect(much!.high - much!.low).toBeGreaterThan(little!.high - little!.low);
  });

  it('is not moved by a few readings that lie far off', () => {
    const readings = line(1, 0.1).map((one, n) => (n % 20 === 19 ? { ...one, value: 400 } : one));
    expect(trendOf(readings).slope).toBeCloseTo(trendOf(line(1, 0.1)).slope, 0);
  });

  it('is sure of growth that is larger than the noise', () => {
    expect(trendOf(line(3, 0.3)).low).toBeGreaterThan(1);
  });
});
