// Sums series, for views and conditions. The name of a series is its family and its labels, such as `calls|crm|2xx`: the family
// `calls` has one series for each source and class of status.

import type { CallFailure } from '../../kernel/errors/call-failure.ts';
import { type SeriesCounts, seriesNameParts } from './metric-sample.ts';
import type { SeriesTable } from './series-ring.ts';
import { BUCKETS, DURATION_BOUNDS_MS, quantileMs } from './latency-buckets.ts';

type Labels = readonly string[];

/** Says whether a series with these labels counts; they have the order of its name. */
export type LabelFilter = (labels: Labels) => boolean;

/** Sums the series of a family by the name that `nameOf` makes from their labels; without a name a series is left out. */
export function sumsBy(
  counts: SeriesCounts,
  family: string,
  nameOf: (labels: Labels) => string | undefined,
): SeriesCounts {
  const sums = new Map<string, number>();
  for (const [key, count] of counts) {
    const [name, ...labels] = seriesNameParts(key);
    const group = name === family ? nameOf(labels) : undefined;
    if (group !== undefined) sums.set(group, (sums.get(group) ?? 0) + count);
  }
  return sums;
}

/** The sum of all series of a family that `isMeant` accepts. */
export const sumOf = (counts: SeriesCounts, family: string, isMeant: LabelFilter = () => true): number =>
  sumsBy(counts, family, (labels) => (isMeant(labels) ? 'sum' : undefined)).get('sum') ?? 0;

/** The buckets of a histogram's family, summed over the operations or sources that `isMeant` accepts. */
export function bucketsOf(
  counts: SeriesCounts,
  family: string,
  isMeant: (of: string) => boolean,
): readonly number[] {
  const buckets = Array.from({ length: BUCKETS }, () => 0);
  const sums = sumsBy(counts, family, ([of = '', index]) => (isMeant(of) ? index : undefined));
  for (const [index, count] of sums) buckets[Number(index)] = count;
  return buckets;
}

/** A part of a whole, from 0 to 1; `null` if the whole is 0. */
export const shareOf = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

/** The number of calls to one source in an interval, and how many of them brought no usable answer. */
export type FailedCalls = {
  readonly calls: number;
  readonly failed: number;
  /** The most frequent failure, except `not_asked`, which is an effect of others; absent: no call failed. */
  readonly failure?: CallFailure;
};

/** How many calls to each source failed. A call whose caller left does not count; a call that was not sent counts. */
export function failedCallsBySource(counts: SeriesCounts): ReadonlyMap<string, FailedCalls> {
  const sums = new Map<string, FailedCalls & { most: number }>();
  const add = (source: string, calls: number, failed: number, failure?: CallFailure) => {
    const before = sums.get(source) ?? { calls: 0, failed: 0, most: 0 };
    // Calls are not sent because others failed, so `not_asked` is the reason only if there is no other.
    const weight = failure === 'not_asked' ? 0.5 : failed;
    sums.set(source, {
      ...before,
      calls: before.calls + calls,
      failed: before.failed + failed,
      ...(failure !== undefined && weight > before.most && { failure, most: weight }),
    });
  };
  for (const [key, count] of counts) {
    const [family, source = '', what = ''] = seriesNameParts(key);
    if (family === 'calls' && what !== 'cancelled') add(source, count, 0);
    if (family === 'unsent') add(source, count, 0);
    if (family === 'failures') add(source, 0, count, what as CallFailure);
  }
  return sums;
}

/** The share of requests that the cache answered, from counts of requests by `hit`, `stale` and `miss`; `null` if none. */
export function hitShareOf(results: SeriesCounts): number | null {
  const [hit = 0, stale = 0, miss = 0] = ['hit', 'stale', 'miss'].map((name) => results.get(name));
  return shareOf(hit + stale, hit + stale + miss);
}

/** A count for each data point; `null` if nobody counted. */
type PointCounts = (number | null)[];

/** The columns of a family in a table, summed by the name that `nameOf` makes from their labels. */
export function seriesBy(
  { at, isCounted, columns }: SeriesTable,
  family: string,
  nameOf: (labels: Labels) => string | undefined,
): Record<string, PointCounts> {
  const series: Record<string, PointCounts> = {};
  for (const [key, counts] of columns) {
    const [name, ...labels] = seriesNameParts(key);
    const group = name === family ? nameOf(labels) : undefined;
    if (group === undefined) continue;
    const sums = (series[group] ??= at.map((_, point) => (isCounted[point] === true ? 0 : null)));
    counts.forEach((count, point) => {
      if (count > 0) sums[point] = (sums[point] ?? 0) + count;
    });
  }
  return series;
}

/** The buckets and quantiles of a histogram's family for each data point of a table; `null` if nobody counted. */
export function latencySeries(table: SeriesTable, family: string, isMeant: (of: string) => boolean) {
  const series = seriesBy(table, family, ([of = '', index]) => (isMeant(of) ? index : undefined));
  const buckets = table.at.map((_, point) =>
    table.isCounted[point] === true
      ? Array.from({ length: BUCKETS }, (_, index) => series[index]?.[point] ?? 0)
      : null,
  );
  const quantiles = (quantile: number) =>
    buckets.map((one) => (one === null ? null : quantileMs(one, quantile)));
  return { boundsMs: [...DURATION_BOUNDS_MS], buckets, p50Ms: quantiles(0.5), p99Ms: quantiles(0.99) };
}
