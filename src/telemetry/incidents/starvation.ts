// Finds that this process gets too little CPU, so that its own delay is not blamed on the sources that it asks.

import { createCountHistory } from './count-history.ts';
import type { TrackedServing } from './subject-runs.ts';

const SECOND_MS = 1_000;
/** If the process stood still for a larger part of some time, that is why something lasted so long. */
const STALLED_PART = 0.25;

/** Creates the watch over this process. Call `tick` each second. */
export function createStarvation({ stalledMs }: Pick<TrackedServing, 'stalledMs'>, now: () => number) {
  const stalls = createCountHistory(stalledMs, now);
  return {
    /** Whether the process stood still for a considerable part of the time since a moment, or of the last second. */
    explains(since: number): boolean {
      // A long stall ends before the next tick, and the history must not take its seconds for the present one.
      stalls.tick();
      const from = Math.min(since, now() - SECOND_MS);
      return stalls.at() - stalls.at(from) > STALLED_PART * (now() - from);
    },
    tick: (): void => stalls.tick(),
  };
}
