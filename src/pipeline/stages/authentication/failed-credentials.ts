// Counts wrong credentials by address and by key id, and refuses further ones, so that keys cannot be guessed.

import { fault, type GatewayError } from '../../../kernel/errors/fault.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { RateWindow } from '../../../kernel/duration.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';
import type { Decision } from '../../../store/limiter/limiter.ts';
import { createSlidingMemory } from '../../../store/limiter/sliding-memory.ts';
import { divideWindow } from '../../../store/limiter/sub-windows.ts';
import { createTokenBucket } from '../token-bucket.ts';

/** The most addresses, and the most ids of keys, whose wrong credentials this process counts. */
const ADDRESSES_MAX = 10_000;
const KEY_IDS_MAX = 10_000;
/** The most addresses and ids whose recent failures are remembered. */
const KNOWN_MAX = 20_000;

/**
 * The size and refill rate of a token bucket for failures that are counted in Redis. Each such failure runs a script in
 * Redis. If the bucket is empty, failures are counted only in this process.
 */
const SHARED_BURST = 1_000;
const SHARED_PER_SECOND = 250;

/** How many wrong credentials an address has tried recently: none, some, or as many as it may try. */
export type Standing = 'clean' | 'failed' | 'spent';

/** Counts wrong credentials by address, and by the id that a key names, so that keys cannot be guessed. */
export type FailedCredentials = ReturnType<typeof createFailedCredentials>;

/** What the counter needs. */
export type FailedCredentialsDeps = {
  /** How many wrong credentials an address may try over all processes, and how many of one key id in this process. */
  readonly window: RateWindow;
  /** Counts one wrong credential of an address over all processes; absent if there is only this process. */
  readonly consume?: ((address: string) => Decision | Promise<Decision>) | undefined;
  readonly clock: Clock;
};

/**
 * The 429 if too many credentials failed. It is no 503, because then a caller who invents keys could make a load balancer
 * take this process out of service. RFC 6585, section 4, allows any way of counting.
 */
export function tooManyTried(detail: string, retryAfterSeconds: number): GatewayError {
  return fault('rate_limit_exceeded', { detail, retryAfterSeconds });
}

function refuseWhile(seconds: number | undefined, detail: string): void {
  if (seconds !== undefined) throw tooManyTried(detail, seconds);
}

/** Until when a subject counts as failed, and until when it may try nothing more (monotonic, ms). */
type Failures = { readonly failedUntil: number; readonly spentUntil: number };

/** Creates the memory of addresses and key ids that failed, and of those that may try nothing more for now. */
function createKnownFailures(windowMs: number, now: () => number) {
  const known = createBoundedMap<Failures>(KNOWN_MAX, () => 1);
  return {
    remember: (subject: string, spentForMs: number): void => {
      const before = known.get(subject)?.spentUntil ?? 0;
      const spentUntil = spentForMs > 0 ? Math.max(before, now() + spentForMs) : before;
      known.set(subject, { failedUntil: now() + windowMs, spentUntil }, windowMs);
    },
    spentForSeconds: (subject: string): number | undefined => {
      const left = (known.get(subject)?.spentUntil ?? 0) - now();
      return left > 0 ? Math.ceil(left / 1_000) : undefined;
    },
    hasFailed: (subject: string) => (known.get(subject)?.failedUntil ?? 0) > now(),
  };
}

/**
 * Creates the counter. A process notices only at its own failures that an address is spent, so an address may try one more
 * credential in each process than the window allows, and those that are being checked. Ids are counted whether or not the
 * key exists, because answers must not reveal that. Each process counts ids for itself.
 */
export function createFailedCredentials(deps: FailedCredentialsDeps) {
  const { window, consume, clock } = deps;
  const windowMs = window.seconds * 1_000;
  const addresses = createSlidingMemory([divideWindow(window)], clock, ADDRESSES_MAX);
  const keyIds = createSlidingMemory([divideWindow(window)], clock, KEY_IDS_MAX);
  const { remember, spentForSeconds, hasFailed } = createKnownFailures(windowMs, clock.monotonic);
  const shared = createTokenBucket(SHARED_BURST, SHARED_PER_SECOND, clock);

  /** Counts a failure in this process. Returns for how many milliseconds nothing more may be tried; 0 if more may. */
  function countHere(subject: string, counts: typeof addresses): number {
    const [state] = counts.reserve(subject, 1).windows;
    return state === undefined || state.free > 0 ? 0 : Math.min(windowMs, state.resetMs);
  }

  /** Counts a failure of a key id. Only ids that failed too often are remembered, because callers can invent ids. */
  function chargeKey(subject: string): void {
    const spentForMs = countHere(subject, keyIds);
    if (spentForMs > 0) remember(subject, spentForMs);
  }

  return {
    /** The standing of an address, as far as this process knows. */
    standing(address: string): Standing {
      if (spentForSeconds(address) !== undefined) return 'spent';
      return hasFailed(address) ? 'failed' : 'clean';
    },
    /** Throws 429 if too many wrong credentials came from the address, or for this key id. It does no I/O. */
    refuseSpent(address: string, keyId: string | undefined): void {
      refuseWhile(spentForSeconds(address), 'too many wrong credentials from this address');
      if (keyId === undefined) return;
      refuseWhile(spentForSeconds(`key:${keyId}`), `too many wrong secrets of key ${keyId}`);
    },
    /** Counts one wrong credential for the address, and for the key id if it names one. Never rejects. */
    async charge(address: string, keyId: string | undefined): Promise<void> {
      if (keyId !== undefined) chargeKey(`key:${keyId}`);
      remember(address, countHere(address, addresses));
      if (consume === undefined || shared.waitSeconds() > 0) return;
      shared.spend();
      const spent = (await consume(address)).windows.filter(({ remaining }) => remaining === 0);
      remember(address, Math.max(0, ...spent.map(({ resetSeconds }) => resetSeconds * 1_000)));
    },
  };
}
