// Limits how many wrong tokens an address may present to the operator's listener, at the sign-in and with any other request.

import type { Clock } from '../../kernel/clock.ts';
import { addressSubject } from '../../pipeline/stages/address-subject.ts';
import { createTokenBucket, type TokenBucket } from '../../pipeline/stages/token-bucket.ts';

/** Limits the wrong tokens of an address. A right token always passes, so only the length of tokens protects them. */
export type GuessLimit = ReturnType<typeof createGuessLimit>;

/** An address may try this many wrong tokens at once, and then one every two seconds. */
const BURST = 20;
const PER_SECOND = 0.5;
/** The most addresses that are remembered. If there are more, the address with the oldest wrong token is forgotten. */
const ADDRESSES_MAX = 1_000;

/** Creates the limit. Addresses without wrong tokens are not remembered. */
export function createGuessLimit(clock: Clock) {
  const buckets = new Map<string, TokenBucket>();
  return {
    /** For how many seconds a wrong token of an address is answered 429; 0 if it is answered 401. */
    waitSeconds: (address: string): number => buckets.get(addressSubject(address))?.waitSeconds() ?? 0,
    /** Charges an address for a wrong token. */
    fail(address: string): void {
      const subject = addressSubject(address);
      const bucket = buckets.get(subject) ?? createTokenBucket(BURST, PER_SECOND, clock);
      buckets.delete(subject);
      const [oldest] = buckets.keys();
      if (buckets.size >= ADDRESSES_MAX && oldest !== undefined) buckets.delete(oldest);
      buckets.set(subject, bucket);
      bucket.spend();
    },
  };
}
