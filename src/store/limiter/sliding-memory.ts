// Counts the points of callers in sliding windows in the memory of this process, if there is no Redis or it is down.

import type { Clock } from '../../kernel/clock.ts';
import { LRUCache } from 'lru-cache';
import type { Reservation, SubWindows, WindowCount } from './sub-windows.ts';

/** The counts of one caller: for each window of the tier, a map from the number of a part of time to its used points. */
type Counts = readonly Map<number, number>[];

/** With more callers, those that were idle longest are forgotten and start at zero. */
const SUBJECTS_MAX = 100_000;

/** The number of the current part of a window, and the window's free points. */
function countWindow({ points, parts, partMs }: SubWindows, counts: Map<number, number>, now: number) {
  const current = Math.floor(now / partMs);
  let used = 0;
  for (const [part, count] of counts) {
    if (part < current - parts) counts.delete(part);
    else used += count;
  }
  return { current, free: Math.max(0, points - used) };
}

function countOf({ parts, partMs }: SubWindows, counts: Map<number, number>, now: number, free: number) {
  const ends = (part: number) => (part + parts + 1) * partMs - now;
  const held = [...counts.keys()];
  const count: WindowCount = {
    free,
    resetMs: held.length === 0 ? 0 : ends(Math.max(...held)),
    waitMs: free > 0 || held.length === 0 ? 0 : ends(Math.min(...held)),
  };
  return count;
}

/** Creates the counts of a tier in this process, for a bounded number of callers. */
export function createSlidingMemory(
  windows: readonly SubWindows[],
  clock: Pick<Clock, 'monotonic'>,
  subjectsMax = SUBJECTS_MAX,
) {
  // With `max`, the map would allocate memory for all callers at once.
  const subjects = new LRUCache<string, Counts>({ maxSize: subjectsMax, sizeCalculation: () => 1 });

  function countsOf(subject: string): Counts {
    const known = subjects.get(subject);
    if (known !== undefined) return known;
    const counts = windows.map(() => new Map<number, number>());
    subjects.set(subject, counts);
    return counts;
  }

  return {
    /** Reserves up to `needed` points for a caller. */
    reserve(subject: string, needed: number): Reservation {
      const at = clock.monotonic();
      const counts = countsOf(subject);
      const looks = windows.map((window, index) =>
        countWindow(window, counts[index] ?? new Map<number, number>(), at),
      );
      const granted = Math.min(needed, ...looks.map(({ free }) => free));
      const states = windows.map((window, index) => {
        const { current, free } = looks[index] ?? { current: 0, free: 0 };
        const held = counts[index] ?? new Map<number, number>();
        if (granted > 0) held.set(current, (held.get(current) ?? 0) + granted);
        return countOf(window, held, at, free - granted);
      });
      return { granted, validMs: Infinity, windows: states, parts: looks.map(({ current }) => current) };
    },
  };
}
