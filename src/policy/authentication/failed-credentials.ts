import { fault, type GatewayError } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Window } from '../../kernel/duration.ts';
import { createBoundedMap } from '../../store/bounded-map.ts';
import type { Decision } from '../../store/limiter/limiter.ts';
import { createSlidingMemory } from '../../store/limiter/sliding-memory.ts';
import { cutWindow } from '../../store/limiter/sub-windows.ts';
import { createAllowance } from '../token-bucket.ts';

/** Bounds of the addresses, and of the ids of keys, whose wrong credentials this process counts. */
const ADDRESSES_MAX = 10_000;
const KEY_IDS_MAX = 10_000;
/** Bound of the addresses and ids that are known to have failed of late. */
const KNOWN_MAX = 20_000;

/**
 * How many failures Redis is told of at once, and each second for good. Failures from ever new addresses cost a script
 * in Redis each; those beyond are counted by this process alone.
 */
const SHARED_AT_ONCE = 1_000;
const SHARED_PER_SECOND = 250;

/** How an address has done of late: without a wrong credential, with some, or with as many as it may try. */
export type Standing = 'clean' | 'failed' | 'spent';

/** Counts wrong credentials by address, and by the id that a key names, so that keys cannot be guessed. */
export type FailedCredentials = {
  /** How an address has done. It asks nobody. */
  standing(address: string): Standing;
  /** Throws 429 where the address, or the key of this id, has been tried with too many. It asks nobody. */
  refuseSpent(address: string, keyId: string | undefined): void;
  /** Counts one wrong credential, of the key it names if any; resolves once it is counted, and never rejects. */
  charge(address: string, keyId: string | undefined): Promise<void>;
};

export type FailedCredentialsDeps = {
  /** How many an address may try, and how many of one id may be tried in this process. */
  readonly window: Window;
  /** Counts one wrong credential of an address over all processes; absent where there is but this one. */
  readonly consume?: ((address: string) => Decision | Promise<Decision>) | undefined;
  readonly clock: Clock;
};

/**
 * 429 where credentials were tried too often. RFC 6585, section 4, leaves open what is counted, up to a whole server; a
 * 503 would let whoever invents keys have a balancer take this process for broken.
 */
export function tooManyTried(detail: string, retryAfterSeconds: number): GatewayError {
  return fault('rate_limit_exceeded', { detail, retryAfterSeconds });
}

function refuseWhile(seconds: number | undefined, detail: string): void {
  if (seconds !== undefined) throw tooManyTried(detail, seconds);
}

type Known = { readonly failedUntil: number; readonly spentUntil: number };

/**
 * Creates the counter. Every process learns that a window is spent from its own failures, so an address may try at
 * most one credential more per process than the window has points, and those that were under way. Ids are counted
 * whether or not there is such a key: an answer must not tell. Each process counts them for itself.
 */
export function createFailedCredentials(deps: FailedCredentialsDeps): FailedCredentials {
  const { window, consume, clock } = deps;
  const [now, windowMs] = [() => clock.monotonic(), window.seconds * 1_000];
  const addresses = createSlidingMemory([cutWindow(window)], now, ADDRESSES_MAX);
  const keyIds = createSlidingMemory([cutWindow(window)], now, KEY_IDS_MAX);
  const known = createBoundedMap<Known>(KNOWN_MAX, () => 1);
  const shared = createAllowance(SHARED_AT_ONCE, SHARED_PER_SECOND, clock);

  function learn(subject: string, spentForMs: number): void {
    const before = known.get(subject)?.spentUntil ?? 0;
    const spentUntil = spentForMs > 0 ? Math.max(before, now() + spentForMs) : before;
    known.set(subject, { failedUntil: now() + windowMs, spentUntil }, windowMs);
  }

  /** Counts in this process, and tells for how long nothing more may be tried: 0 where more may. */
  function countHere(subject: string, counts: typeof addresses): number {
    const [state] = counts.reserve(subject, 1).windows;
    return state === undefined || state.free > 0 ? 0 : Math.min(windowMs, state.resetMs);
  }

  /** Ids are the caller's to invent, so only those that were tried often are learnt. */
  function chargeKey(subject: string): void {
    const spentForMs = countHere(subject, keyIds);
    if (spentForMs > 0) learn(subject, spentForMs);
  }

  function spentForSeconds(subject: string): number | undefined {
    const left = (known.get(subject)?.spentUntil ?? 0) - now();
    return left > 0 ? Math.ceil(left / 1_000) : undefined;
  }

  return {
    standing(address) {
      if (spentForSeconds(address) !== undefined) return 'spent';
      return (known.get(address)?.failedUntil ?? 0) > now() ? 'failed' : 'clean';
    },
    refuseSpent(address, keyId) {
      refuseWhile(spentForSeconds(address), 'too many wrong credentials from this address');
      if (keyId === undefined) return;
      refuseWhile(spentForSeconds(`key:${keyId}`), `too many wrong secrets of key ${keyId}`);
    },
    async charge(address, keyId) {
      if (keyId !== undefined) chargeKey(`key:${keyId}`);
      learn(address, countHere(address, addresses));
      if (consume === undefined || shared.waitSeconds() > 0) return;
      shared.spend();
      const spent = (await consume(address)).windows.filter(({ remaining }) => remaining === 0);
      learn(address, Math.max(0, ...spent.map(({ resetSeconds }) => resetSeconds * 1_000)));
    },
  };
}
