// Makes sure that only one process of the fleet does some work, such as a scan, while the others wait for its result.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import type { Lock } from './redis/distributed-lock.ts';

/** `found`: the result of another process. If it is absent, this process may produce the result, with `lock` if present. */
export type FoundOrLock<T, Held extends Lock = Lock> = {
  readonly found?: T | undefined;
  readonly lock?: Held | undefined;
};

/** How long to wait for the work of another process. */
export type WaitOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The first and the longest pause between two tries; each pause is twice the one before. */
  readonly pausesMs: readonly [number, number];
  /** After this time the process stops waiting and works without a lock. */
  readonly patienceMs: number;
};

/** Says that this process may work without a lock. */
export const UNLOCKED: FoundOrLock<never, never> = {};

/**
 * Waits until another process has produced the result, or this process holds the lock to produce it. `tryOnce` looks for
 * both. If it rejects because Redis does not answer, or the wait is longer than `patienceMs`, this process may work without
 * a lock. Rejects with the signal's reason.
 */
export async function acquireOrWait<T, Held extends Lock>(
  tryOnce: () => Promise<FoundOrLock<T, Held>>,
  { clock, pausesMs: [firstMs, longestMs], patienceMs }: WaitOptions,
  signal: AbortSignal,
): Promise<FoundOrLock<T, Held>> {
  const endMs = clock.monotonic() + patienceMs;
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    const tried = await tryOnce().catch(() => undefined);
    if (tried === undefined) return UNLOCKED;
    const { found, lock } = tried;
    if (found !== undefined) {
      void lock?.release();
      return { found };
    }
    if (lock !== undefined) return { lock };
    if (clock.monotonic() >= endMs) return UNLOCKED;
    await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
  }
}
