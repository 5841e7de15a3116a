// Keeps the counts of the last data points of each series in memory of a fixed size, for the history in the console.

import type { SeriesCounts } from './metric-sample.ts';

/** Time series of counts, one data point for each interval of equal length, the oldest first. */
export type SeriesTable = {
  readonly stepMs: number;
  /** When the interval of each data point begins, in milliseconds since the epoch. */
  readonly at: readonly number[];
  /** For each data point, whether a gateway counted in its interval; if none did, the counts are unknown. */
  readonly isCounted: readonly boolean[];
  /** The counts of each series. A series that is absent was 0 throughout. */
  readonly columns: ReadonlyMap<string, readonly number[]>;
};

/** A range of data points, from the interval of `fromMs` to that of `toMs`, both included (ms since the epoch). */
export type TableRange = { readonly fromMs: number; readonly toMs: number; readonly stepMs: number };

/** Further series are left out, because each series takes 4 bytes for each data point. */
const SERIES_MAX = 4_000;

/** When the interval of each data point of a range begins: at multiples of `stepMs`. */
export function pointTimes({ fromMs, toMs, stepMs }: TableRange): readonly number[] {
  const first = Math.floor(fromMs / stepMs);
  const last = Math.floor(toMs / stepMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * stepMs);
}

/**
 * Creates a ring buffer of the last `points` data points of each series. A data point counts an interval of `pointMs`; a new
 * data point replaces the oldest.
 */
export function createSeriesRing(pointMs: number, points: number) {
  const columns = new Map<string, Uint32Array>();
  /** The number of the interval that each place of the ring holds. */
  const numbers = new Float64Array(points).fill(-1);

  function columnOf(series: string): Uint32Array | undefined {
    const known = columns.get(series);
    if (known !== undefined || columns.size >= SERIES_MAX) return known;
    const column = new Uint32Array(points);
    columns.set(series, column);
    return column;
  }

  return {
    /** Adds counts to the data points of a time. The time must not be older than the ring reaches back. */
    add(atMs: number, grown: SeriesCounts): void {
      const number = Math.floor(atMs / pointMs);
      const place = number % points;
      if (numbers[place] !== number) {
        numbers[place] = number;
        for (const column of columns.values()) column[place] = 0;
      }
      for (const [series, count] of grown) {
        const column = columnOf(series);
        if (column !== undefined) column[place] = (column[place] ?? 0) + count;
      }
    },
    /** Reads the series that `isWanted` accepts. Intervals that are no longer kept are marked as not counted. */
    read: (range: TableRange, isWanted: (series: string) => boolean): SeriesTable => {
      const at = pointTimes(range);
      const isCounted = at.map(() => false);
      const wanted = [...columns].filter(([series]) => isWanted(series));
      const sums = wanted.map(([series, column]) => ({ series, column, counts: at.map(() => 0) }));
      numbers.forEach((number, place) => {
        const step = Math.floor((number * pointMs - (at[0] ?? 0)) / range.stepMs);
        if (number < 0 || step < 0 || step >= at.length) return;
        isCounted[step] = true;
        for (const { column, counts } of sums) counts[step] = (counts[step] ?? 0) + (column[place] ?? 0);
      });
      const counted = sums.filter(({ counts }) => counts.some((count) => count > 0));
      const found = new Map(counted.map(({ series, counts }) => [series, counts]));
      return { stepMs: range.stepMs, at, isCounted, columns: found };
    },
  };
}
