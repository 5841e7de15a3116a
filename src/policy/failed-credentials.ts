import type { Clock } from '../kernel/clock.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import type { Decision } from '../store/limiter.ts';

const SPENT_MAX = 50_000;

/** Counts the wrong credentials of an address, so that keys cannot be guessed. */
export type FailedCredentials = {
  /** Whole seconds until the address may try again; `undefined` while it may. It asks nobody. */
  spentForSeconds(subject: string): number | undefined;
  /** Counts one wrong credential; resolves once it is counted, and never rejects. */
  charge(subject: string): Promise<void>;
};

export type FailedCredentialsDeps = {
  /** Counts one wrong credential of an address in `limits.failedCredentials`. */
  readonly consume: (subject: string) => Decision | Promise<Decision>;
  readonly clock: Clock;
};

/**
 * Creates the counter. Every process learns that a window is spent from its own failures, so an address may try at
 * most one credential more per process than the window has points.
 */
export function createFailedCredentials({ consume, clock }: FailedCredentialsDeps): FailedCredentials {
  const spent = createBoundedMap<{ until: number }>(SPENT_MAX, () => 1);

  return {
    spentForSeconds(subject) {
      const left = (spent.get(subject)?.until ?? 0) - clock.monotonic();
      return left > 0 ? Math.ceil(left / 1_000) : undefined;
    },
    async charge(subject) {
      const { windows } = await consume(subject);
      const reset = Math.max(
        0,
        ...windows.filter(({ remaining }) => remaining === 0).map((w) => w.resetSeconds),
      );
      if (reset > 0) spent.set(subject, { until: clock.monotonic() + reset * 1_000 }, reset * 1_000);
    },
  };
}
