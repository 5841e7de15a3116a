// The circuit breaker by which one process leaves a failing new source, without asking Redis.

import { createSlidingCounter } from '../../source/resilience/sliding-counter.ts';

/** Stops the calls of one process to a new source that fails. */
export type LocalBreaker = {
  /** Whether a call may go to the new source now. */
  allows(): boolean;
  /** Counts a call: the new source has answered it, or has failed where the legacy source could answer. */
  count(outcome: 'answered' | 'failed'): void;
  /** Whether calls go to the legacy source because of it. */
  readonly isOpen: boolean;
};

/** `onChange` is called within `count`, once when it opens and once when it closes. */
export type LocalBreakerDeps = {
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly onChange: (isOpen: boolean) => void;
};

const WINDOW_MS = 10_000;
const FAILURES_MIN = 5;
const SHARE_MIN = 0.5;
const OPEN_MS = 30_000;
const PROBE_MS = 1_000;

/**
 * Creates the circuit breaker of one process and one resource. It needs no Redis, so it also works where the judge cannot.
 * It opens at 5 failures in 10 s that are at least half of the calls. All calls then go to the legacy source for 30 s; after
 * that one call a second tries the new source.
 */
export function createLocalBreaker({ monotonic, onChange }: LocalBreakerDeps): LocalBreaker {
  let calls = createSlidingCounter(WINDOW_MS, monotonic);
  /** When it opened, and when the next call may try; absent: it is closed. */
  let opened: { readonly at: number; probeAt: number } | undefined;

  return {
    allows() {
      if (opened === undefined) return true;
      const now = monotonic();
      if (now < opened.probeAt) return false;
      opened.probeAt = now + PROBE_MS;
      return true;
    },
    count(outcome) {
      const now = monotonic();
      if (opened === undefined) {
        calls.add(outcome === 'failed');
        const { total, failures } = calls;
        if (failures < FAILURES_MIN || failures < SHARE_MIN * total) return;
        opened = { at: now, probeAt: now + OPEN_MS };
        onChange(true);
        // Until the first probe, only calls from before it opened come to an end.
      } else if (outcome === 'answered' && now >= opened.at + OPEN_MS) {
        opened = undefined;
        calls = createSlidingCounter(WINDOW_MS, monotonic);
        onChange(false);
      }
    },
    get isOpen() {
      return opened !== undefined;
    },
  };
}
