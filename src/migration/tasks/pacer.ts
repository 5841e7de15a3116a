// Keeps the calls of a walk to a rate.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';

/** Waits; replaced in tests. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** Waits by a timer that does not keep the process alive. Rejects with an `AbortError` when the signal aborts. */
export const waitMs: Wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false });

/** Keeps all calls together to a rate: it waits for the time that `calls` calls may take. */
export type Pacer = (calls: number, signal: AbortSignal) => Promise<void>;

/** Creates a pacer of `perSecond` calls a second. */
export function createPacer(perSecond: number, clock: Pick<Clock, 'monotonic'>, wait: Wait): Pacer {
  let freeAtMs = clock.monotonic();
  return async function pace(calls, signal) {
    freeAtMs = Math.max(freeAtMs, clock.monotonic()) + (calls * 1_000) / perSecond;
    const ms = freeAtMs - clock.monotonic();
    if (ms > 0) await wait(ms, signal);
  };
}
