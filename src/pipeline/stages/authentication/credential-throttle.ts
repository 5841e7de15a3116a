// Limits how much work wrong credentials cause in this process and in Redis, over all addresses. failed-credentials.ts limits
// each address.

import type { Clock } from '../../../kernel/clock.ts';
import { createTokenBucket } from '../token-bucket.ts';
import { type FailedCredentials, tooManyTried } from './failed-credentials.ts';

/** A costly check of a credential that may be wrong. A token bucket limits how many such checks may fail. */
export type CredentialAttempt = {
  /** To be called before the check. Throws 429 if too many checks have failed. */
  start(): void;
  /** To be called if the credential is wrong, because only failures are counted. */
  fail(): void;
};

/** The throttle for credential checks. */
export type CredentialThrottle = ReturnType<typeof createCredentialThrottle>;

/**
 * What the throttle needs. `failed` tells the standing of an address (`clean`: no recent failure, `failed`: some, `spent`: as
 * many as it may try); it says which bucket is charged.
 */
export type CredentialThrottleDeps = { readonly failed: FailedCredentials; readonly clock: Clock };

/** Creates the throttle. All addresses without recent failures share buckets that other addresses cannot empty. */
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
     * The attempt for asking Redis about a key id that this process does not know. Earlier failures of that id do not matter,
     * because the owner of the key must not be locked out.
     */
    lookup(address: string): CredentialAttempt {
      const standing = failed.standing(address);
      if (standing !== 'spent') return lookups[standing];
      return { start: () => failed.refuseSpent(address, undefined), fail: () => undefined };
    },
    /** The attempt for verifying the signature of a token. */
    token: (address: string): CredentialAttempt => tokens[failed.standing(address)],
  };
}
