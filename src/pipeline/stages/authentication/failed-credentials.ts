import { fault, type GatewayError } from '../../../kernel/errors/fault.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { RateWindow } from '../../../kernel/duration.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';
import type { Decision } from '../../../store/limiter/limiter.ts';
import { createSlidingMemory } from '../../../store/limiter/sliding-memory.ts';
import { divideWindow } from '../../../store/limiter/sub-windows.ts';
import { createTokenBucket } from '../token-bucket.ts';

/** Bounds of the addresses, and of the ids of keys, whose wrong credentials this process counts. */
const ADDRESSES_MAX = 10_000;
const KEY_IDS_MAX = 10_000;
/** Bound of the addresses and ids with recent failures. */
const KNOWN_MAX = 20_000;

/**
 * A token bucket for the failures that are counted in Redis. Failures from ever new addresses cost a script in Redis
 * each; those beyond the bucket are counted by this process alone.
 */
const SHARED_BURST = 1_000;
const SHARED_PER_SECOND = 250;

/** The recent wrong credentials of an address: none, some, or as many as it may try. */
export type Standing = 'clean' | 'failed' | 'spent';

/** Counts wrong credentials by address, and by the id that a key names, so that keys cannot be guessed. */
export type FailedCredentials = ReturnType<typeof createFailedCredentials>;

/** The points of `window` bound an address over all processes that share `consume`, and a key id in this process. */
export type FailedCredentialsDeps = {
  /** How many an address may try, and how many of one id may be tried in this process. */
  readonly window: RateWindow;
  /** Counts one wrong credential of an address over all processes; absent if there is but this one. */
  readonly consume?: ((address: string) => Decision | Promise<Decision>) | undefined;
  readonly clock: Clock;
};

/**
 * 429 if too many credentials failed. RFC 6585, section 4, leaves open what is counted, up to a whole server. With a
 * 503, a caller who invents keys could make a balancer take this process out of service.
 */
export function tooManyTried(detail: string, retryAfterSeconds: number): GatewayError {
  return fault('rate_limit_exceeded', { detail, retryAfterSeconds });
}

function refuseWhile(seconds: number | undefined, detail: string): void {
  if (seconds !== undefined) throw tooManyTried(detail, seconds);
}

type Failures = { readonly failedUntil: number; readonly spentUntil: number };

/** Remembers which addresses and key ids have failed, and which have spent their window. */
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
 * Creates the counter. A process learns from its own failures that a window is spent, so an address may try one
 * credential more per process than the window has points, and those that are under way. Ids are counted whether or not
 * the key exists, because an answer must not tell that. Each process counts ids for itself.
 */
export function createFailedCredentials(deps: FailedCredentialsDeps) {
  const { window, consume, clock } = deps;
  const windowMs = window.seconds * 1_000;
  const addresses = createSlidingMemory([divideWindow(window)], clock, ADDRESSES_MAX);
  const keyIds = createSlidingMemory([divideWindow(window)], clock, KEY_IDS_MAX);
  const { remember, spentForSeconds, hasFailed } = createKnownFailures(windowMs, clock.monotonic);
  const shared = createTokenBucket(SHARED_BURST, SHARED_PER_SECOND, clock);

  /** Counts in this process. For how many milliseconds nothing more may be tried: 0 if more may. */
  function countHere(subject: string, counts: typeof addresses): number {
    const [state] = counts.reserve(subject, 1).windows;
    return state === undefined || state.free > 0 ? 0 : Math.min(windowMs, state.resetMs);
  }

  /** Callers can invent ids, so only those that were tried often are remembered. */
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
    /** Throws 429 if too many wrong credentials came from the address, or for the key of this id. No I/O. */
    refuseSpent(address: string, keyId: string | undefined): void {
      refuseWhile(spentForSeconds(address), 'too many wrong credentials from this address');
      if (keyId === undefined) return;
      refuseWhile(spentForSeconds(`key:${keyId}`), `too many wrong secrets of key ${keyId}`);
    },
    /** Counts one wrong credential, of the key it names if any; resolves once it is counted, and never rejects. */
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
