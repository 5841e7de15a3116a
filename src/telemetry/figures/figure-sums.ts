import { keyParts } from './figure-sample.ts';
import type { FigureTable } from './figure-slots.ts';
import { BUCKETS, DURATION_BOUNDS_MS, quantileMs } from './latency-buckets.ts';

/** Figures of one span of time, or since the start. */
export type Figures = ReadonlyMap<string, number>;

type Labels = readonly string[];

/** Accepts the labels of a figure, in the order of its name. */
export type LabelFilter = (labels: Labels) => boolean;

const EVERY: LabelFilter = () => true;

/** The sum of the figures of a family. */
export function sumOf(figures: Figures, family: string, isMeant: LabelFilter = EVERY): number {
  let sum = 0;
  for (const [key, count] of figures) {
    const [name, ...labels] = keyParts(key);
    if (name === family && isMeant(labels)) sum += count;
  }
  return sum;
}

/** The sums of the figures of a family by a name made of their labels. */
export function sumsBy(
  figures: Figures,
  family: string,
  nameOf: (labels: Labels) => string | undefined,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [key, count] of figures) {
    const [name, ...labels] = keyParts(key);
    const group = name === family ? nameOf(labels) : undefined;
    if (group !== undefined) sums.set(group, (sums.get(group) ?? 0) + count);
  }
  return sums;
}

/** The buckets of a histogram's family, summed over what `isMeant` accepts. */
export function bucketsOf(
  figures: Figures,
  family: string,
  isMeant: (of: string) => boolean,
): readonly number[] {
  const buckets = Array.from({ length: BUCKETS }, () => 0);
  const sums = sumsBy(figures, family, ([of = '', index]) => (isMeant(of) ? index : undefined));
  for (const [index, count] of sums) buckets[Number(index)] = count;
  return buckets;
}

/** A part of a whole from 0 to 1; `null` of nothing. */
export const shareOf = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

/** Whether a call to a source brought no usable reply. Calls whose callers went away say nothing of it. */
export const isFailedCall = (outcome: string): boolean =>
  outcome === '5xx' || outcome.startsWith('upstream_');

/** The part of the look-ups that the cache answered, from the counts of requests by what the cache had. */
export function hitShareOf(results: ReadonlyMap<string, number>): number | null {
  const [hit = 0, stale = 0, miss = 0] = ['hit', 'stale', 'miss'].map((name) => results.get(name));
  return shareOf(hit + stale, hit + stale + miss);
}

/** A count for each slot; `null` where nobody counted. */
type SlotCounts = (number | null)[];

/** The columns of a family in a table, summed by a name made of their labels. */
export function seriesBy(
  { at, isCounted, columns }: FigureTable,
  family: string,
  nameOf: (labels: Labels) => string | undefined,
): Record<string, SlotCounts> {
  const series: Record<string, SlotCounts> = {};
  for (const [key, counts] of columns) {
    const [name, ...labels] = keyParts(key);
    const group = name === family ? nameOf(labels) : undefined;
    if (group === undefined) continue;
    const sums = (series[group] ??= at.map((_, slot) => (isCounted[slot] === true ? 0 : null)));
    counts.forEach((count, slot) => {
      if (count > 0) sums[slot] = (sums[slot] ?? 0) + count;
    });
  }
  return series;
}

/** The buckets and quantiles of a histogram's family in each slot of a table. */
export function latencySeries(table: FigureTable, family: string, isMeant: (of: string) => boolean) {
  const series = seriesBy(table, family, ([of = '', index]) => (isMeant(of) ? index : undefined));
  const buckets = table.at.map((_, slot) =>
    table.isCounted[slot] === true
      ? Array.from({ length: BUCKETS }, (_, index) => series[index]?.[slot] ?? 0)
      : null,
  );
  const quantiles = (quantile: number) =>
    buckets.map((one) => (one === null ? null : quantileMs(one, quantile)));
  return { boundsMs: [...DURATION_BOUNDS_MS], buckets, p50Ms: quantiles(0.5), p99Ms: quantiles(0.99) };
}
