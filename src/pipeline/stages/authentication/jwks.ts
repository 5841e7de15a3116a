// Keeps the key set of a token issuer, so that tokens can be verified even while the issuer does not answer.

import {
  createLocalJWKSet,
  type CryptoKey,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import type { Logger } from 'pino';
import { blameUpstream, fault } from '../../../kernel/errors/fault.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isObject } from '../../../kernel/json/values.ts';
import { isValidJwk } from './valid-jwk.ts';

/** The time that the issuer has to answer. */
const FETCH_MS_MAX = 1_000;
/** The shortest pause between two fetches if there are keys. It is long, because callers can invent unknown key ids. */
export const REFETCH_MS = 30_000;
/** The pause if there are no keys. It is short, because then no token can be accepted. */
const RETRY_MS = 1_000;

/** Fetches the key set at an address, as parsed JSON. Rejects if there is none, or when the signal aborts. */
export type FetchJwks = (url: string, signal: AbortSignal) => Promise<unknown>;

/** Finds the key for a token's header. */
export type IssuerKeys = (header: JWTHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** What the key set needs. `fetchJwks` has one second. `log` gets each failure, and each set with ignored entries. */
export type JwksDeps = {
  readonly url: string;
  readonly fetchJwks: FetchJwks;
  readonly clock: Clock;
  /** If the key set is older than this, it is fetched again in the background. */
  readonly freshMs: number;
  /** The greatest age of the last good key set at which it is still used, while the issuer is down. */
  readonly staleMs: number;
  readonly log: Pick<Logger, 'warn'>;
  /** Called after each fetch: whether it failed, and why. */
  readonly onFetch?: (isLost: boolean, problem?: string) => void;
};

type Held = { readonly keys: LocalJWKSet; readonly fetchedAt: number };

/** Creates the function that fetches the keys again: one fetch at a time, and not more often than `pauseMs` allows. */
function createRefresh({ url, fetchJwks, clock, log, onFetch }: JwksDeps, keep: (keys: Held) => void) {
  let triedAt = -Infinity;
  let underWay: Promise<void> | undefined;
  let lastProblem: unknown;

  async function load(): Promise<void> {
    triedAt = clock.monotonic();
    try {
      const set = await fetchJwks(url, AbortSignal.timeout(FETCH_MS_MAX));
      keep({ keys: readKeys(set, log), fetchedAt: triedAt });
      onFetch?.(false);
    } catch (error) {
      lastProblem = error;
      const problem = error instanceof Error ? error.message : String(error);
      onFetch?.(true, problem);
      log.warn({ problem }, 'the key set of the token issuer cannot be read');
    }
  }

  return {
    /** Waits for the running fetch, or starts one if the last one is at least `pauseMs` ago. Never rejects. */
    async refresh(pauseMs: number): Promise<void> {
      if (underWay === undefined && clock.monotonic() - triedAt < pauseMs) return;
      underWay ??= load().finally(() => (underWay = undefined));
      await underWay;
    },
    problem: () => lastProblem,
  };
}

/**
 * Creates the function that finds the issuer's key for a token. It is used instead of jose's remote set, because that refuses
 * every token if the issuer is down and the keys are ten minutes old; this one keeps the last good set. It rejects with a
 * fault (503) if there are no keys, and with jose's JWKSNoMatchingKey if the issuer has no such key.
 */
export function createJwks(deps: JwksDeps): IssuerKeys {
  const { clock, freshMs, staleMs } = deps;
  let held: Held | undefined;
  const issuer = createRefresh(deps, (keys) => (held = keys));

  function usable(): Held | undefined {
    return held !== undefined && clock.monotonic() - held.fetchedAt < staleMs ? held : undefined;
  }

  const refresh = () => issuer.refresh(usable() === undefined ? RETRY_MS : REFETCH_MS);

  async function current(): Promise<Held> {
    const ready = usable();
    if (ready !== undefined) {
      if (clock.monotonic() - ready.fetchedAt >= freshMs) void refresh();
      return ready;
    }
    await refresh();
    const fetched = usable();
    if (fetched !== undefined) return fetched;
    const detail = 'the key set of the token issuer cannot be read';
    const unavailable = fault('upstream_unavailable', { detail, cause: issuer.problem() });
    blameUpstream(unavailable, 'auth.jwt', deps.url);
    throw unavailable;
  }

  return async (header, token) => {
    const before = await current();
    try {
      return await before.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      const after = await current();
      if (after === before) throw error;
      return after.keys(header, token);
    }
  };
}

/** Removes entries that are no objects from a key set, because jose would refuse the whole set for one of them. */
function withoutOddEntries(value: unknown, log: JwksDeps['log']): unknown {
  const { keys } = Object(value) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return value;
  const objects = keys.filter((entry) => isObject(entry as Json));
  const ignored = keys.length - objects.length;
  if (ignored > 0)
    log.warn(
      { ignored },
      'entries of the key set of the token issuer are ignored, because they are no objects',
    );
  return { keys: objects };
}

/** Reads the usable keys of a key set. Throws if there are none, because such a set must not replace the known keys. */
function readKeys(value: unknown, log: JwksDeps['log']): LocalJWKSet {
  // jose checks the shape of what it is given.
  const { keys } = createLocalJWKSet(withoutOddEntries(value, log) as JSONWebKeySet).jwks();
  const valid = keys.filter(isValidJwk);
  if (valid.length === 0) throw new Error('the key set has no key that can be used');
  return createLocalJWKSet({ keys: valid });
}
