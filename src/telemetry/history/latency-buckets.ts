// The buckets of all histograms of durations, and the quantiles that the console and the conditions estimate from them.

/** The upper bounds of the buckets in seconds: from a cache hit on a busy machine to the longest sensible deadline. */
export const DURATION_BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** The upper bounds of the buckets in milliseconds. */
export const DURATION_BOUNDS_MS = DURATION_BOUNDS_SECONDS.map(
  (seconds) => Math.round(seconds * 100_000) / 100,
);

/** The number of buckets: one for each bound, and one for everything above the last bound. */
export const BUCKETS = DURATION_BOUNDS_SECONDS.length + 1;

/** The bucket of a quantile, and which part of its count (0 to 1) is below the quantile; `undefined` if nothing was counted. */
function bucketOf(buckets: readonly number[], quantile: number) {
  const rank = quantile * buckets.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [index, count] of buckets.entries()) {
    if (count > 0 && below + count >= rank) return { index, part: Math.max(0, rank - below) / count };
    below += count;
  }
  return undefined;
}

/**
 * A quantile (0 to 1) in milliseconds, from the count of each bucket. It is interpolated linearly within its bucket, as
 * `histogram_quantile()` of Prometheus does; above the last bound it is the last bound. `null` if nothing was counted.
 */
export function quantileMs(buckets: readonly number[], quantile: number): number | null {
  const found = bucketOf(buckets, quantile);
  if (found === undefined) return null;
  const lower = DURATION_BOUNDS_MS[found.index - 1] ?? 0;
  return lower + ((DURATION_BOUNDS_MS[found.index] ?? lower) - lower) * found.part;
}

/**
 * What a quantile certainly is at most, because a histogram knows only the bucket: its upper bound in milliseconds. `null`
 * above the last bound, or if nothing was counted.
 */
export const quantileUpToMs = (buckets: readonly number[], quantile: number): number | null =>
  DURATION_BOUNDS_MS[bucketOf(buckets, quantile)?.index ?? BUCKETS] ?? null;
