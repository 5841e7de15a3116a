// Histograms of latencies with bounds 10 % apart, and their quantiles, by which both sources of a migration are compared.

import type { Latencies } from './migration-counts.ts';

/** The number of bounds from 1 to 10; two neighbouring bounds differ by 10 %. */
const BOUNDS_PER_DECADE = 24;

/** The upper bound of the bucket of a duration, in milliseconds as text; at least 1. */
export function latencyBucket(ms: number): string {
  const index = Math.ceil(BOUNDS_PER_DECADE * Math.log10(Math.max(1, ms)) - 1e-9);
  return String(Number((10 ** (index / BOUNDS_PER_DECADE)).toPrecision(3)));
}

/** The number of durations in a histogram. */
export function latencyCount(latencies: Latencies): number {
  return Object.values(latencies).reduce((sum, count) => sum + count, 0);
}

/** A quantile of a histogram in milliseconds, such as the 99th percentile for 0.99; `undefined` if it has no calls. */
export function latencyQuantile(latencies: Latencies, share: number): number | undefined {
  const buckets = Object.entries(latencies).map(([bound, count]) => [Number(bound), count] as const);
  let rest = Math.ceil(share * latencyCount(latencies));
  for (const [bound, count] of buckets.sort(([a], [b]) => a - b)) {
    rest -= count;
    if (rest <= 0 && count > 0) return bound;
  }
  return undefined;
}

/** The histogram of the durations that `now` has and `before` had not. */
export function latenciesSince(now: Latencies, before: Latencies): Latencies {
  return Object.fromEntries(
    Object.entries(now).map(([bound, count]) => [bound, count - (before[bound] ?? 0)]),
  );
}
