// The circuit breaker with which one process stops using a failing new source, without asking Redis.

import { createSlidingCounter } from '../../source/resilience/failure-rate.ts';

/** Stops the calls of one process to a new source that fails. */
export type LocalBreaker = ReturnType<typeof createLocalBreaker>;

const WINDOW_MS = 10_000;
const FAILURES_MIN = 5;
const SHARE_MIN = 0.5;
const OPEN_MS = 30_000;
const PROBE_MS = 1_000;

/**
 * Creates the circuit breaker of one process and one resource. It needs no Redis, so it also works when the judge does not. It
 * opens after 5 failures in 10 s if they are at least half of the calls. Then all calls go to the legacy source for 30 s; after
 * that, one call a second tries the new source. `onChange` is called within `count`, when the breaker opens and when it closes.
 */
export function createLocalBreaker({
  monotonic,
  onChange,
}: {
  readonly monotonic: () => number;
  readonly onChange: (isOpen: boolean) => void;
}) {
  let calls = createSlidingCounter(WINDOW_MS, monotonic);
  /** When the breaker opened, and when the next call may try the new source; `undefined` while it is closed. */
  let opened: { readonly at: number; probeAt: number } | undefined;

  return {
    /** Whether a call may go to the new source now. */
    allows(): boolean {
      if (opened === undefined) return true;
      const now = monotonic();
      if (now < opened.probeAt) return false;
      opened.probeAt = now + PROBE_MS;
      return true;
    },
    /** Counts a call: the new source has answered, or has failed although the legacy source could answer. */
    count(outcome: 'answered' | 'failed'): void {
      const now = monotonic();
      if (opened === undefined) {
        calls.add(outcome === 'failed');
        const { total, failures } = calls;
        if (failures < FAILURES_MIN || failures < SHARE_MIN * total) return;
        opened = { at: now, probeAt: now + OPEN_MS };
        onChange(true);
        // Before the first probe, only calls that began before it opened can end.
      } else if (outcome === 'answered' && now >= opened.at + OPEN_MS) {
        opened = undefined;
        calls = createSlidingCounter(WINDOW_MS, monotonic);
        onChange(false);
      }
    },
    /** Whether calls for the new source go to the legacy source now. */
    get isOpen(): boolean {
      return opened !== undefined;
    },
  };
}
