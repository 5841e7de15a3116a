/** How a series goes on: its slope, and between what the slope is with a confidence of 95 %. */
export type Trend = { readonly slope: number; readonly low: number; readonly high: number };

/** One value, and when it was read. */
export type Reading = { readonly at: number; readonly value: number };

/** The quantile of the normal distribution that leaves 2.5 % above it. */
const Z = 1.96;

/**
 * The slope of Theil and Sen: the median of the slopes between any two readings, which single readings that lie far off
 * do not move. Its interval is that of Sen, by Kendall's statistic. At least two readings.
 */
export function trendOf(readings: readonly Reading[]): Trend {
  const slopes = readings
    .flatMap((one, index) =>
      readings.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
    )
    .sort((a, b) => a - b);
  const at = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? NaN;
  const n = readings.length;
  const reach = (Z * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)) / 2;
  const middle = (slopes.length - 1) / 2;
  return {
    slope: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    low: at(middle - reach),
    high: at(middle + reach),
  };
}
