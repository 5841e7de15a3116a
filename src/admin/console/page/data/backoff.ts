// Exponential back-off with jitter, for events.ts: the tabs of many operators must not all connect again at once.

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** How long to wait before attempt number `attempt`, counted from 0; `random` is 0..1. */
export function backOffMs(attempt: number, random: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(whole * (0.5 + 0.5 * random));
}
