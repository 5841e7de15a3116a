// Histograms of latencies with bounds 10 % apart, and their quantiles.

import type { Latencies } from './migration-counts.ts';

/** Bounds in each decade: two neighbours differ by 10 %. */
const BOUNDS_PER_DECADE = 24;

/** The upper bound of the bucket of a duration, in milliseconds: at least 1. */
export function latencyBucket(ms: number): string {
  const index = Math.ceil(BOUNDS_PER_DECADE * Math.log10(Math.max(1, ms)) - 1e-9);
  return String(Number((10 ** (index / BOUNDS_PER_DECADE)).toPrecision(3)));
}

/** The number of durations in a histogram. */
export function latencyCount(latencies: Latencies): number {
  return Object.values(latencies).reduce((sum, count) => sum + count, 0);
}

/** The quantile of a histogram in milliseconds, such as that of 0.99; `undefined` without calls. */
export function latencyQuantile(latencies: Latencies, share: number): number | undefined {
  const buckets = Object.entries(latencies).map(([bound, count]) => [Number(bound), count] as const);
  let rest = Math.ceil(share * latencyCount(latencies));
  for (const [bound, count] of buckets.sort(([a], [b]) => a - b)) {
    rest -= count;
    if (rest <= 0 && count > 0) return bound;
  }
  return undefined;
}

/** The durations that were counted after `before`. */
export function latenciesSince(now: Latencies, before: Latencies): Latencies {
  return Object.fromEntries(
    Object.entries(now).map(([bound, count]) => [bound, count - (before[bound] ?? 0)]),
  );
}
