/** The most that a function may take, in lines. */
export const FUNCTION_LINES_MAX = 80;

/** The value below which a share of all values lies (nearest rank), 0 where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
