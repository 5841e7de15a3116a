import type { Pace } from './yield-to-loop.ts';

/** Sorted at once. Small enough that no comparison makes it noticeable, large enough to be quick. */
const RUN = 256;
/** Elements merged between two looks at the clock. */
const STRIDE = 64;

type Compare<T> = (a: T, b: T) => number;

async function merge<T>(left: readonly T[], right: readonly T[], compare: Compare<T>, pace: Pace) {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  for (;;) {
    const a = left[l];
    const b = right[r];
    if (a === undefined || b === undefined) break;
    if (compare(a, b) <= 0) {
      merged.push(a);
      l += 1;
    } else {
      merged.push(b);
      r += 1;
    }
    if (merged.length % STRIDE === 0) await pace();
  }
  for (const rest of [left.slice(l), right.slice(r)]) for (const item of rest) merged.push(item);
  return merged;
}

/** The items in order, as a stable sort leaves them; the event loop turns between its pieces. */
export async function mergeSort<T extends object>(
  items: readonly T[],
  compare: Compare<T>,
  pace: Pace,
): Promise<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    await pace();
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, pace));
    runs = longer;
  }
  return runs[0] ?? [];
}
