import type { YieldToLoop } from './yield-to-loop.ts';

/** How many elements are sorted at once, without a turn of the event loop. */
const RUN = 256;
/** How many elements are merged between two calls of `yieldToLoop`. */
const STRIDE = 64;

type Compare<T> = (a: T, b: T) => number;

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: Compare<T>,
  yieldToLoop: YieldToLoop,
) {
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
    if (merged.length % STRIDE === 0) await yieldToLoop();
  }
  for (const rest of [left.slice(l), right.slice(r)]) for (const item of rest) merged.push(item);
  return merged;
}

/**
 * A stable merge sort for the rows of a scan. It yields to the event loop again and again, so that a long list does not keep other
 * requests waiting.
 */
export async function mergeSort<T extends object>(
  items: readonly T[],
  compare: Compare<T>,
  yieldToLoop: YieldToLoop,
): Promise<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    await yieldToLoop();
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, yieldToLoop));
    runs = longer;
  }
  return runs[0] ?? [];
}
