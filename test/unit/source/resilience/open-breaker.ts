import {
  type BreakerDeps,
  type BreakerOptions,
  createBreaker,
  type CallOutcome,
} from '../../../../src/source/resilience/breaker.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

/** A breaker on a clock of the test's own: 20 calls in 10 s, half of them bad, open for 5 s. */
export function openBreaker(options: Partial<BreakerOptions> = {}, checkHealth?: BreakerDeps['checkHealth']) {
  const clock = createManualClock();
  const states: string[] = [];
  const hanging = { times: 0 };
  const breaker = createBreaker(
    { calls: 20, windowMs: 10_000, failuresPercent: 50, openMs: 5_000, ...options },
    {
      monotonic: () => clock.monotonic(),
      onChange: (state) => void states.push(state),
      ...{ checkHealth, onQuestionsHang: () => void (hanging.times += 1) },
    },
  );
  /** Has calls made that all end the same; how many were let through. */
  function make(count: number, finding: CallOutcome, question = '/x'): number {
    let made = 0;
    for (let call = 0; call < count; call += 1) {
      const leave = breaker.enter();
      if (leave !== undefined) made += 1;
      leave?.(finding, question, clock.monotonic());
    }
    return made;
  }
  return { breaker, clock, states, make, hanging };
}
