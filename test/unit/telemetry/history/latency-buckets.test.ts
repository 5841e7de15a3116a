import fc from 'fast-check';
import {
  BUCKETS,
  DURATION_BOUNDS_MS,
  quantileMs,
  quantileUpToMs,
} from '../../../../src/telemetry/history/latency-buckets.ts';

/** Counts each duration in its bucket. */
function bucketsOf(durationsMs: readonly number[]): readonly number[] {
  const buckets = Array.from({ length: BUCKETS }, () => 0);
  for (const duration of durationsMs) {
    const found = DURATION_BOUNDS_MS.findIndex((bound) => duration <= bound);
    const index = found === -1 ? BUCKETS - 1 : found;
    buckets[index] = (buckets[index] ?? 0) + 1;
  }
  return buckets;
}

/** The bounds of the bucket that a duration is in. */
function boundsOf(durationMs: number): readonly [number, number] {
  const index = DURATION_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
  if (index === -1) return [30_000, 30_000];
  return [DURATION_BOUNDS_MS[index - 1] ?? 0, DURATION_BOUNDS_MS[index] ?? 0];
}

describe('a quantile of buckets', () => {
  it('lies in the bucket of the true quantile, whose upper bound it has at most, and never above the last bound', () => {
    const durations = fc.array(fc.double({ min: 0, max: 60_000, noNaN: true }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(durations, fc.constantFrom(0.01, 0.5, 0.9, 0.99, 1), (all, quantile) => {
        const sorted = [...all].sort((a, b) => a - b);
        const truth = sorted[Math.ceil(quantile * sorted.length) - 1] ?? 0;
        const [lower, upper] = boundsOf(truth);
        const upTo = truth > 30_000 ? null : upper;
        expect(quantileUpToMs(bucketsOf(all), quantile)).toBe(upTo);
        const found = quantileMs(bucketsOf(all), quantile) ?? -1;
        expect(found).toBeGreaterThanOrEqual(lower);
        expect(found).toBeLessThanOrEqual(upper);
      }),
    );
  });

  it('is interpolated within its bucket, as Prometheus does', () => {
    const buckets = Array.from({ length: BUCKETS }, () => 0);
    // Four between 5 and 10 ms: half of them up to the middle.
    buckets[3] = 4;
    expect(quantileMs(buckets, 0.5)).toBeCloseTo(7.5);
  });

  it('is null where nothing was counted', () => {
    expect(quantileMs(bucketsOf([]), 0.99)).toBeNull();
    expect(quantileUpToMs(bucketsOf([]), 0.99)).toBeNull();
  });
});
