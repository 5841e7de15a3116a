// Measures for how long this process stood still, because its machine gave it no CPU or because of its own work. The answers
// of sources wait meanwhile, so a call that lasted long says nothing about its source.

import type { Clock } from '../../kernel/clock.ts';

const STEP_MS = 20;
/** A turn of the event loop that is late by more is a stall. Shorter ones are usual while many requests are served. */
const STALL_MS = 100;

/** Creates the measure of the process. It is 0 until `start`. */
export function createStalledTime({ monotonic }: Pick<Clock, 'monotonic'>) {
  let [total, lookedAt] = [0, Infinity];
  let timer: NodeJS.Timeout | undefined;

  /** How long the process has stood still so far, in milliseconds, with a stall that has not been looked at yet. */
  function stalledMs(): number {
    const lateMs = monotonic() - lookedAt - STEP_MS;
    return lateMs > STALL_MS ? total + lateMs : total;
  }

  function look(): void {
    total = stalledMs();
    lookedAt = monotonic();
  }

  return {
    stalledMs,
    start(): void {
      look();
      timer ??= setInterval(look, STEP_MS).unref();
    },
    close: (): void => clearInterval(timer),
  };
}
