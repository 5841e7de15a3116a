import type { Clock } from '../../../src/kernel/clock.ts';

/** A clock that stands still until it is told to go on. */
export type ManualClock = Clock & { advance(ms: number): void };

export function createManualClock(now = Date.UTC(2026, 0, 1)): ManualClock {
  let passed = 0;
  return {
    now: () => now + passed,
    monotonic: () => passed,
    advance: (ms) => void (passed += ms),
  };
}
