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
/** With keys at hand, the issuer is asked at most this often: unknown key ids are the caller's to invent. */
const REFETCH_MS = 30_000;
/** Without any keys nobody can be let in, so the issuer is asked again sooner. */
const RETRY_MS = 1_000;

/** Reads the key set at an address: its parsed JSON. Rejects if there is none, or once the signal aborts. */
export type FetchJwks = (url: string, signal: AbortSignal) => Promise<unknown>;

/** Finds the key for a token's header. */
export type IssuerKeys = (header: JWTHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** Ages are milliseconds of the monotonic clock. `fetchJwks` has one second to answer; each failure is a line of `log`, and each set with entries that are ignored. */
export type JwksDeps = {
  readonly url: string;
  readonly fetchJwks: FetchJwks;
  readonly clock: Clock;
  /** From this age on, the key set is fetched again in the background. */
  readonly freshMs: number;
  /** Until this age, the last good key set serves while the issuer is down. */
  readonly staleMs: number;
  readonly log: Pick<Logger, 'warn'>;
  /** Hears of each fetch whether it failed, and why. */
  readonly onFetch?: (isLost: boolean, problem?: string) => void;
};

type Held = { readonly keys: LocalJWKSet; readonly fetchedAt: number };

/** Reads the issuer's keys again: by one fetch at a time, and not more often than `pauseMs` says. */
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
    /** Joins the fetch under way, or starts one if the issuer was not asked too recently. Never rejects. */
    async refresh(pauseMs: number): Promise<void> {
      if (underWay === undefined && clock.monotonic() - triedAt < pauseMs) return;
      underWay ??= load().finally(() => (underWay = undefined));
      await underWay;
    },
    problem: () => lastProblem,
  };
}

/**
 * Holds the issuer's keys. jose's remote set refuses every token once its keys are ten minutes old and the issuer
 * is down, so this one keeps the last good set. The result finds the key for a token's header. It rejects with a
 * fault if no keys can be had, and with jose's JWKSNoMatchingKey if the issuer has no such key.
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

/** A key set without the entries that are no objects: jose refuses the whole set for one of them, and so every token. */
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

/** The usable keys of a key set. A set without any is a mistake of the issuer and must not replace the keys at hand. */
function readKeys(value: unknown, log: JwksDeps['log']): LocalJWKSet {
  // jose checks the shape of what it is given.
  const { keys } = createLocalJWKSet(withoutOddEntries(value, log) as JSONWebKeySet).jwks();
  const valid = keys.filter(isValidJwk);
  if (valid.length === 0) throw new Error('the key set has no key that can be used');
  return createLocalJWKSet({ keys: valid });
}
