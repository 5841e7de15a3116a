import type { Clock } from '../kernel/clock.ts';

/**
 * How often something may come to nothing: so often at once, and so often a second for good. It is charged when that is
 * known, so what comes to something costs nothing of it, however much of it there is at once.
 */
export type Allowance = {
  /** Whole seconds until some of it is left; 0 where some is. */
  waitSeconds(): number;
  /** Takes one from it; where none is left, from what is to come: more was under way than it had. */
  spend(): void;
};

/** Creates an allowance, full. */
export function createAllowance(atOnce: number, perSecond: number, clock: Clock): Allowance {
  let left = atOnce;
  let countedAt = clock.monotonic();

  function refill(): void {
    const now = clock.monotonic();
    left = Math.min(atOnce, left + ((now - countedAt) / 1_000) * perSecond);
    countedAt = now;
  }

  return {
    waitSeconds() {
      refill();
      return left >= 1 ? 0 : Math.ceil((1 - left) / perSecond);
    },
    spend() {
      refill();
      left -= 1;
    },
  };
}
