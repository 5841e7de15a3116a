import type { Clock } from '../../kernel/clock.ts';
import { createAllowance } from '../token-bucket.ts';
import { type FailedCredentials, tooManyTried } from './failed-credentials.ts';

/** What stands before the costly part of the check of a credential that has proved nothing yet. */
export type Trial = {
  /** Throws 429 where there have been too many. */
  begin(): void;
  /** Told where it came to nothing: only that is counted. */
  fail(): void;
};

/** Bounds what wrong credentials cost this process, and Redis for its sake, over all addresses together. */
export type Trials = {
  /**
   * Before Redis is asked about an id that this process does not know. How often that id was tried does not matter: it is
   * asked about once in a while anyway, and its owner must not be locked out.
   */
  lookup(address: string): Trial;
  /** Before the signature of a token is verified. */
  token(address: string): Trial;
};

export type TrialsDeps = { readonly failed: FailedCredentials; readonly clock: Clock };

/** Creates the bounds. An address that has not failed of late has its own: a flood of others does not use them up. */
export function createTrials({ failed, clock }: TrialsDeps): Trials {
  const bounded = (atOnce: number, perSecond: number, detail: string): Trial => {
    const allowance = createAllowance(atOnce, perSecond, clock);
    return {
      begin() {
        const wait = allowance.waitSeconds();
        if (wait > 0) throw tooManyTried(detail, wait);
      },
      fail: () => allowance.spend(),
    };
  };
  const lookups = {
    clean: bounded(1_000, 250, 'too many unknown keys'),
    failed: bounded(1_000, 250, 'too many unknown keys'),
  };
  // A verification takes a fifth of a millisecond of one core at the most.
  const tokens = {
    clean: bounded(1_000, 1_000, 'too many wrong tokens'),
    failed: bounded(1_000, 500, 'too many wrong tokens'),
    spent: bounded(100, 100, 'too many wrong tokens from spent addresses'),
  };

  return {
    lookup(address) {
      const standing = failed.standing(address);
      if (standing !== 'spent') return lookups[standing];
      return { begin: () => failed.refuseSpent(address, undefined), fail: () => undefined };
    },
    token: (address) => tokens[failed.standing(address)],
  };
}
