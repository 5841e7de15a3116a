// Computes where the marks of sparklines, heat maps and timings go. Unknown values are left out.

/** The values of data points, the oldest first; null if unknown. */
export type Points = readonly (number | null | undefined)[];

const known = (values: Points) =>
  values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));

/** The largest known value; 0 if none is known. */
export function largest(values: Points): number {
  return known(values).reduce((most, value) => Math.max(most, value), 0);
}

/** The last known value. */
export function latest(values: Points): number | undefined {
  return known(values).at(-1);
}

/** The SVG path of a sparkline in a box, with a gap for each unknown value; empty if fewer than two values are known. */
export function sparkPath(values: Points, width: number, height: number): string {
  if (known(values).length < 2) return '';
  const top = largest(values) || 1;
  const step = width / Math.max(1, values.length - 1);
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (typeof value !== 'number' || !Number.isFinite(value)) {
        isDrawing = false;
        return '';
      }
      const y = height - 1 - (Math.max(0, value) / top) * (height - 2);
      const mark = `${isDrawing ? 'L' : 'M'}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
      isDrawing = true;
      return mark;
    })
    .join('');
}

/** How dark a cell of a heat map is, 0..1: by the square root, so that few slow calls are seen beside many fast ones. */
export function heatShade(count: number | null | undefined, most: number): number {
  if (typeof count !== 'number' || count <= 0 || most <= 0) return 0;
  return 0.12 + 0.88 * Math.sqrt(Math.min(1, count / most));
}

/** The buckets of a histogram from the first to the last that has a count; at least one. */
export function usedBuckets(
  points: readonly (readonly (number | null)[] | null)[],
  count: number,
): readonly [number, number] {
  let [first, last] = [count, -1];
  for (const point of points)
    point?.forEach((value, bucket) => {
      if ((value ?? 0) <= 0) return;
      first = Math.min(first, bucket);
      last = Math.max(last, bucket);
    });
  return last === -1 ? [0, Math.max(0, count - 1)] : [Math.max(0, first - 1), Math.min(count - 1, last + 1)];
}

/** The bar of a timing of a request: where it begins and how wide it is, in percent of the whole. */
export function barOf(startMs: number, ms: number, wholeMs: number) {
  const whole = Math.max(wholeMs, 0.001);
  const left = Math.min(99.5, Math.max(0, (startMs / whole) * 100));
  return { left, width: Math.min(100 - left, Math.max(0.5, (ms / whole) * 100)) };
}
