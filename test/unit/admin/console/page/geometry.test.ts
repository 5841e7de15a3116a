import {
  barOf,
  heatShade,
  largest,
  latest,
  sparkPath,
  usedBuckets,
} from '../../../../../src/admin/console/page/charts/geometry.ts';
import {
  latencyLines,
  namedLines,
  pointRates,
  summed,
} from '../../../../../src/admin/console/page/charts/traffic-lines.ts';
import { backOffMs } from '../../../../../src/admin/console/page/data/backoff.ts';

describe('a sparkline', () => {
  it('goes from 0 at the bottom to its largest value at the top, with a gap where nothing is known', () => {
    expect(sparkPath([0, 10, null, 5, 10], 40, 12)).toBe('M0.0 11.0L10.0 1.0M30.0 6.0L40.0 1.0');
  });

  it('is not drawn of fewer than two values', () => {
    expect(sparkPath([], 40, 12)).toBe('');
    expect(sparkPath([null, 4, undefined, Number.NaN], 40, 12)).toBe('');
  });

  it('stays in its box whatever the values are', () => {
    const numbers = sparkPath([-5, 1e308, 0, 3], 40, 12)
      .match(/[\d.]+/g)!
      .map(Number);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(40);
  });
});

describe('the cells of a heat map', () => {
  it('are empty for nothing, and darker for more', () => {
    expect([0, null, undefined, -1].map((count) => heatShade(count, 10))).toEqual([0, 0, 0, 0]);
    expect(heatShade(1, 100)).toBeLessThan(heatShade(50, 100));
    expect(heatShade(200, 100)).toBe(1);
  });

  it('show the buckets that are used, and one beside them', () => {
    expect(usedBuckets([[0, 0, 3, 1, 0, 0, 0], null], 7)).toEqual([1, 4]);
    expect(usedBuckets([[5, 0, 0]], 3)).toEqual([0, 1]);
    expect(usedBuckets([null], 3)).toEqual([0, 2]);
  });
});

describe('the bar of a step', () => {
  it('lies where its time was', () => {
    expect(barOf(250, 500, 1000)).toEqual({ left: 25, width: 50 });
  });

  it.each([
    [0, 0, 0],
    [-5, 10, 100],
    [990, 500, 1000],
    [5000, 1, 1000],
    [0, 1e9, 1],
  ])('never leaves the track: %d, %d of %d', (start, ms, whole) => {
    const { left, width } = barOf(start, ms, whole);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(width).toBeGreaterThan(0);
    expect(left + width).toBeLessThanOrEqual(100);
  });
});

describe('the lines of a chart', () => {
  it('are rates per second, without the slot that is not over', () => {
    expect(pointRates([10, null, 30, 7], 10_000)).toEqual([1, null, 3]);
  });

  it('add up slot by slot, and are unknown where nobody counted', () => {
    expect(
      summed([
        [1, null, 3],
        [2, null, null],
      ]),
    ).toEqual([3, null, 3]);
    expect(summed([])).toEqual([]);
  });

  it('are the five with the most, those of nothing left out', () => {
    const named = { a: [1, 0], b: [9, 0], c: [0, 0], d: [2, 0], e: [3, 0], f: [4, 0], g: [5, 0] };
    expect(namedLines(named, 1_000).map(({ name }) => name)).toEqual(['b', 'g', 'f', 'e', 'd']);
  });

  it('are quantiles as they come', () => {
    const [p50, p99] = latencyLines({ p50Ms: [1, 2, 3], p99Ms: [9, null, 7] });
    expect([p50!.values, p99!.values]).toEqual([
      [1, 2],
      [9, null],
    ]);
    expect([largest(p99!.values), latest(p99!.values)]).toEqual([9, 9]);
  });
});

describe('the back-off of the stream', () => {
  it('doubles up to half a minute, and is never less than half of that', () => {
    expect([0, 1, 2, 3].map((attempt) => backOffMs(attempt, 1))).toEqual([500, 1_000, 2_000, 4_000]);
    expect(backOffMs(1_000, 1)).toBe(30_000);
    expect(backOffMs(0, 0)).toBe(250);
  });
});
