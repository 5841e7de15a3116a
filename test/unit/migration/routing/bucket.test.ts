import { bucketsBelow, createBuckets } from '../../../../src/migration/routing/bucket.ts';

const share = (buckets: readonly number[], percent: number) =>
  (buckets.filter((bucket) => bucket < bucketsBelow(percent)).length / buckets.length) * 100;

function bucketsOf(count: number, salt = 'a-salt'): readonly number[] {
  return Array.from({ length: count }, (_, i) => createBuckets({ salt, resource: 'users' })(`user_${i}`));
}

describe('the buckets of a ramp', () => {
  it('meet each share to 0.3 percentage points with 100,000 keys', () => {
    const buckets = bucketsOf(100_000);
    for (const percent of [1, 5, 25, 50, 75]) {
      const error = Math.abs(share(buckets, percent) - percent);
      expect({ percent, isNear: error <= 0.3 }).toEqual({ percent, isNear: true });
    }
  });

  it('meet a share to 1 point up to 25 % and to 1.5 at 50 %, with 10,000 keys and any of 20 salts', () => {
    const salts = Array.from({ length: 20 }, (_, i) => bucketsOf(10_000, `salt-${i}`));
    const worst = (percent: number) =>
      Math.max(...salts.map((buckets) => Math.abs(share(buckets, percent) - percent)));
    expect(worst(1)).toBeLessThanOrEqual(1);
    expect(worst(25)).toBeLessThanOrEqual(1);
    expect(worst(50)).toBeLessThanOrEqual(1.5);
  });

  it('tell shares apart that differ by 0.01 %', () => {
    const step = bucketsBelow(0.02) - bucketsBelow(0.01);
    expect(step).toBeGreaterThan(429_000);
    expect(share(bucketsOf(100_000), 0.01)).toBeLessThanOrEqual(0.03);
  });

  it('hold nobody at 0 % and everybody at 100 %', () => {
    const buckets = bucketsOf(10_000);
    expect(share(buckets, 0)).toBe(0);
    expect(share(buckets, 100)).toBe(100);
  });

  it('are others for another salt and for another resource', () => {
    const key = 'user_1';
    const bucket = createBuckets({ salt: 'a', resource: 'users' })(key);
    expect(createBuckets({ salt: 'b', resource: 'users' })(key)).not.toBe(bucket);
    expect(createBuckets({ salt: 'a', resource: 'products' })(key)).not.toBe(bucket);
  });
});
