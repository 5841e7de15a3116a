import { setTimeout as sleep } from 'node:timers/promises';

/** How fast, and how long. */
export type Pace = { readonly perSecond: number; readonly seconds: number };

/** Asks at a steady pace whatever becomes of the questions before; resolves once all have an end. */
export async function askSteadily<T>(
  { perSecond, seconds }: Pace,
  ask: (index: number) => Promise<T>,
): Promise<readonly T[]> {
  const asked: Promise<T>[] = [];
  const start = performance.now();
  while (asked.length < perSecond * seconds) {
    await sleep(5);
    const due = Math.min(perSecond * seconds, ((performance.now() - start) / 1_000) * perSecond);
    while (asked.length < due) asked.push(ask(asked.length));
  }
  return Promise.all(asked);
}

/** The most of these moments, in order, in any interval of that length; milliseconds. */
export function mostWithin(moments: readonly number[], ms: number): number {
  let first = 0;
  let most = 0;
  for (const [index, at] of moments.entries()) {
    while (at - (moments[first] as number) >= ms) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
