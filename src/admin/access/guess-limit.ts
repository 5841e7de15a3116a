import type { Clock } from '../../kernel/clock.ts';
import { addressSubject } from '../../pipeline/stages/address-subject.ts';
import { createTokenBucket, type TokenBucket } from '../../pipeline/stages/token-bucket.ts';

/** Limits the wrong tokens of an address. It holds up no right one, so what keeps a token secret is its length. */
export type GuessLimit = {
  /** Whole seconds for which a wrong token of an address is answered 429; 0: it is answered 401. */
  waitSeconds(address: string): number;
  /** Charges an address for a wrong token. */
  fail(address: string): void;
};

/** So many wrong tokens at once, and one in two seconds for good. */
const BURST = 20;
const PER_SECOND = 0.5;
/** Addresses with wrong tokens that are remembered; beyond it the one whose failure is the longest ago is forgotten. */
const ADDRESSES_MAX = 1_000;

/** Creates the limit. Addresses without wrong tokens are not remembered. */
export function createGuessLimit(clock: Clock): GuessLimit {
  const buckets = new Map<string, TokenBucket>();
  return {
    waitSeconds: (address) => buckets.get(addressSubject(address))?.waitSeconds() ?? 0,
    fail(address) {
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
