// Makes the lines of charts (requests, latency, named counts) from the answer of the action `metrics.history`.

import type { MetricsHistory, PointCounts } from '../../../api/metric-specs.ts';

type NamedPointCounts = Readonly<Record<string, PointCounts>>;

/** A line of a chart, with a value for each data point. `colour` is a custom property of the style sheet. */
export type Line = { readonly name: string; readonly colour: string; readonly values: PointCounts };

const statusColours: Readonly<Record<string, string>> = {
  '2xx': 'c-good',
  '3xx': 'c-cool',
  '4xx': 'c-warn',
  '5xx': 'c-bad',
};
const others = ['c-cool', 'c-warn', 'c-bad', 'c-plum', 'c-good', 'c-grey'];

const isCounted = (counts: PointCounts) => counts.some((count) => (count ?? 0) > 0);

/** Counts as rates per second. The last interval is not over, so its data point is left out. */
export function pointRates(counts: PointCounts, stepMs: number): PointCounts {
  return counts.slice(0, -1).map((count) => (count === null ? null : count / (stepMs / 1000)));
}

/** The sum of several series, point by point; null if none was counted. */
export function summed(all: readonly PointCounts[]): PointCounts {
  const points = Math.max(0, ...all.map(({ length }) => length));
  return Array.from({ length: points }, (_, point) => {
    const values = all.map((counts) => counts[point] ?? null).filter((count) => count !== null);
    return values.length === 0 ? null : values.reduce((sum, count) => sum + count, 0);
  });
}

/** The requests per second by class of status, without classes that never occurred. */
export function statusLines({ series, stepMs }: MetricsHistory): readonly Line[] {
  return Object.entries(series.requests.byStatusClass)
    .filter(([name, counts]) => name === '2xx' || isCounted(counts))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, counts]) => ({
      name,
      colour: statusColours[name] ?? 'c-grey',
      values: pointRates(counts, stepMs),
    }));
}

/** Lines of named counts per second, the largest five. */
export function namedLines(named: NamedPointCounts, stepMs: number): readonly Line[] {
  return Object.entries(named)
    .filter(([, counts]) => isCounted(counts))
    .map(([name, counts]) => ({
      name,
      counts,
      sum: counts.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    }))
    .toSorted((a, b) => b.sum - a.sum)
    .slice(0, 5)
    .map(({ name, counts }, index) => ({
      name,
      colour: others[index] ?? 'c-grey',
      values: pointRates(counts, stepMs),
    }));
}

/** The lines of the median latency (p50) and of the 99th percentile (p99), in milliseconds. */
export function latencyLines({ p50Ms, p99Ms }: { p50Ms: PointCounts; p99Ms: PointCounts }): readonly Line[] {
  return [
    { name: 'p50', colour: 'c-cool', values: p50Ms.slice(0, -1) },
    { name: 'p99', colour: 'c-plum', values: p99Ms.slice(0, -1) },
  ];
}

/** At least this many data points are drawn, even if most are unknown. They are five minutes of an hour. */
const POINTS_MIN = 30;

type TimeSeries = {
  readonly at: readonly number[];
  readonly stepMs: number;
  readonly since: string;
  readonly series: object;
};

/** Drops the first entries of every list that has one entry for each data point. */
function withoutFirst(value: unknown, points: number, first: number): unknown {
  if (Array.isArray(value)) return value.length === points ? value.slice(first) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withoutFirst(part, points, first)]),
  );
}

/**
 * Leaves out the data points before the first known one: otherwise the first minutes of a gateway would be a short line at
 * the edge of a chart of an hour.
 */
export function fromFirstKnownPoint<History extends TimeSeries>(history: History): History {
  const { at, stepMs, since, series } = history;
  const began = at.findIndex((start) => start + stepMs > Date.parse(since));
  const first = Math.min(began === -1 ? at.length : began, at.length - POINTS_MIN);
  if (first <= 0) return history;
  return { ...history, at: at.slice(first), series: withoutFirst(series, at.length, first) };
}
