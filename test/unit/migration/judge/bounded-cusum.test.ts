import { CUSUM_LIMIT, nextBoundedCusum } from '../../../../src/migration/statistics/cusum.ts';

const NONE = { cusum: 0, shares: {} };
const THIRD = CUSUM_LIMIT / 3;
const times = (count: number, entry: string) => Array<string>(count).fill(entry);

describe('the part of one caller in the CUSUM of failures', () => {
  it('is a third of the limit for questions of one shape, however many fail', () => {
    expect(nextBoundedCusum(NONE, times(100, 'ana users.get'), 0).cusum).toBeCloseTo(THIRD);
    let bounded = NONE;
    for (let look = 0; look < 50; look += 1)
      bounded = nextBoundedCusum(bounded, times(20, 'ana users.get'), 1);
    expect(bounded.cusum).toBeLessThanOrEqual(THIRD);
  });

  it('is two thirds for questions of all shapes, so that nobody reaches the limit alone', () => {
    const shapes = Array.from({ length: 10 }, (_, shape) => times(10, `ana shape${shape}`)).flat();
    expect(nextBoundedCusum(NONE, shapes, 0).cusum).toBeCloseTo(2 * THIRD);
  });

  it('bounds nothing where four callers have a failure each, as four failures in a row reach the limit', () => {
    const failing = ['ana', 'bob', 'cy', 'di'].map((caller) => `${caller} users.get`);
    expect(nextBoundedCusum(NONE, failing, 0).cusum).toBeGreaterThanOrEqual(CUSUM_LIMIT);
  });

  it('shrinks with the answers, and then there is room again', () => {
    const full = nextBoundedCusum(NONE, times(5, 'ana users.get'), 0);
    const answered = nextBoundedCusum(full, [], 20);
    expect(answered.cusum).toBeLessThan(full.cusum);
    expect(answered.shares['ana users.get']).toBeCloseTo(answered.cusum);
    const again = nextBoundedCusum(answered, times(5, 'ana users.get'), 0);
    expect(again.cusum).toBeCloseTo(THIRD);
    expect(nextBoundedCusum(full, [], 1_000)).toEqual(NONE);
  });

  it('is forgotten once it is small, so that the memory stays small with any number of callers', () => {
    let bounded = NONE;
    for (let caller = 0; caller < 1_000; caller += 1)
      bounded = nextBoundedCusum(bounded, [`caller${caller} users.get`], bounded.cusum > 6 ? 60 : 40);
    expect(bounded.cusum).toBeGreaterThan(0);
    expect(Object.keys(bounded.shares).length).toBeLessThan(200);
  });
});
