import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../src/kernel/clock.ts';

/** Time that passes only when everybody waits: hours of waiting take as long as the work in them. */
export type VirtualTime = Clock & {
  /** Resolves once so much virtual time has passed. */
  sleep(ms: number): Promise<void>;
  /** Lets time pass until the work has ended. @throws Error where it waits for something else */
  run<T>(work: Promise<T>): Promise<T>;
};

type Sleeper = { readonly atMs: number; readonly wake: () => void };

/** Creates virtual time from an instant on, in milliseconds since the epoch. */
export function createVirtualTime(startMs = Date.UTC(2026, 0, 1)): VirtualTime {
  /** In the order in which they wake. */
  const sleepers: Sleeper[] = [];
  let passedMs = 0;

  function place(atMs: number): number {
    let [low, high] = [0, sleepers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sleepers[middle]!.atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    now: () => startMs + passedMs,
    monotonic: () => passedMs,
    sleep: (ms) =>
      new Promise((wake) => {
        const atMs = passedMs + ms;
        sleepers.splice(place(atMs), 0, { atMs, wake });
      }),
    async run(work) {
      const state = { isOver: false };
      const over = () => void (state.isOver = true);
      work.then(over, over);
      for (;;) {
        await nextTurn();
        if (state.isOver) return work;
        const next = sleepers.shift();
        if (next === undefined) throw new Error('the work waits for something that no time brings');
        passedMs = next.atMs;
        next.wake();
      }
    },
  };
}
