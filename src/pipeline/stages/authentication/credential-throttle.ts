import type { Clock } from '../../../kernel/clock.ts';
import { createTokenBucket } from '../token-bucket.ts';
import { type FailedCredentials, tooManyTried } from './failed-credentials.ts';

/** One costly check of a credential that is not known to be good, bounded by a token bucket for failures. */
export type CredentialAttempt = {
  /** To be called before the check. Throws 429 if too many failed. */
  start(): void;
  /** To be called if the credential turns out to be wrong: only failures are counted. */
  fail(): void;
};

/** A throttle for credential checks: bounds what wrong credentials cost this process and Redis, over all addresses. */
export type CredentialThrottle = ReturnType<typeof createCredentialThrottle>;

/** `failed` is asked for the standing of an address at each attempt, because that says which bucket is charged. */
export type CredentialThrottleDeps = { readonly failed: FailedCredentials; readonly clock: Clock };

/** Creates the throttle. Addresses without recent failures have buckets of their own, which others cannot empty. */
export function createCredentialThrottle({ failed, clock }: CredentialThrottleDeps) {
  const bounded = (burst: number, perSecond: number, detail: string): CredentialAttempt => {
    const bucket = createTokenBucket(burst, perSecond, clock);
    return {
      start() {
        const wait = bucket.waitSeconds();
        if (wait > 0) throw tooManyTried(detail, wait);
      },
      fail: () => bucket.spend(),
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
    /**
     * For asking Redis about a key id that this process does not know. The failures of that id do not count: Redis is
     * asked about it once in a while anyway, and the owner of the key must not be locked out.
     */
    lookup(address: string): CredentialAttempt {
      const standing = failed.standing(address);
      if (standing !== 'spent') return lookups[standing];
      return { start: () => failed.refuseSpent(address, undefined), fail: () => undefined };
    },
    /** For verifying the signature of a token. */
    token: (address: string): CredentialAttempt => tokens[failed.standing(address)],
  };
}
