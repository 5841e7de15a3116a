// Verifies the credential of a request by all checks (for authenticate.ts), remembers good ones, and limits wrong ones.

import { blameUpstream, fault, GatewayError } from '../../../kernel/errors/fault.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';
import type { ApiKeyCheck } from './api-key-check.ts';
import { parseApiKey } from './api-key.ts';
import { addressSubject } from '../address-subject.ts';
import type { CallSummary, Principal } from '../call.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import { claimedTokenId, type JwtCheck } from './jwt.ts';
import type { CredentialThrottle } from './credential-throttle.ts';
import {
  type AcceptedCredential,
  type CallerCredential,
  type CredentialResult,
  type RefusalReason,
  type RefusedCredential,
  UNRECOGNISED,
} from './credential-result.ts';

/**
 * What the verifier needs. `onRefused` is called for each wrong credential that is answered with 401, but not if the answer
 * is 429 because too many wrong ones came before.
 */
export type CredentialVerifierDeps = {
  /** The check of API keys; absent if `auth.apiKeys` is not configured. */
  readonly apiKeys?: ApiKeyCheck | undefined;
  /** The check of tokens; absent if `auth.jwt` is not configured. */
  readonly jwt?: JwtCheck | undefined;
  readonly failed: FailedCredentials;
  readonly throttle: CredentialThrottle;
  /** Counts why credentials are refused. */
  readonly onRefused: (reason: RefusalReason) => void;
};

type CallerSummary = Pick<CallSummary, 'principalId' | 'principalLabel' | 'claimedId'>;

/** The most verified credentials that a process remembers. They are fewer if tokens have very many permissions. */
const KNOWN_MAX = 50_000;
const PERMISSIONS_USUAL = 16;
/** How long an unused credential is remembered. `isFresh` says how long its verification is valid. */
const KNOWN_MS = 300_000;

/** The 401 with its challenge. The challenge names an error only if a credential was presented (RFC 6750, section 3.1). */
export function unauthenticated(detail: string, presented: boolean): GatewayError {
  const challenge = `Bearer realm="portico"${presented ? ', error="invalid_token"' : ''}`;
  return fault('authentication_required', { detail, headers: { 'WWW-Authenticate': challenge } });
}

/** The 401 for the owner of a lost key, who is named in the log: the Redis of keys is to blame. */
function lostKey({ keyId, label }: RefusedCredential, summary: CallerSummary): GatewayError {
  summary.principalId = keyId;
  summary.principalLabel = label === '' ? undefined : label;
  const error = unauthenticated(`the credential is not valid: lost, key ${keyId}`, true);
  blameUpstream(error, 'redis.keys');
  return error;
}

/** Throws the error of a check. If a credential cannot be checked now, its caller is named, so that operators see who is affected. */
const throwNamed =
  (known: AcceptedCredential | undefined, text: string, summary: CallerSummary) =>
  (error: unknown): never => {
    if (error instanceof GatewayError && error.code === 'upstream_unavailable') {
      summary.principalId = known?.principal.id;
      summary.principalLabel = known?.principal.label;
      summary.claimedId = parseApiKey(text)?.id ?? claimedTokenId(text);
    }
    throw error;
  };

/** Creates the verifier, which finds the principal of a credential. */
export function createCredentialVerifier({
  apiKeys,
  jwt,
  failed,
  throttle,
  onRefused,
}: CredentialVerifierDeps) {
  const accepted = createBoundedMap<AcceptedCredential>(
    KNOWN_MAX,
    ({ principal }) => principal.permissions.size / PERMISSIONS_USUAL,
  );

  /** Runs the checks, the cheapest first, so that good credentials pass even if many wrong ones come from the address. */
  async function check(credential: CallerCredential, address: string): Promise<CredentialResult> {
    const configured = apiKeys?.configured(credential) ?? UNRECOGNISED;
    if (configured.kind !== 'unrecognised') return configured;
    const stored = (await apiKeys?.stored(credential, throttle.lookup(address))) ?? UNRECOGNISED;
    if (stored.kind !== 'unrecognised' || jwt === undefined) return stored;
    const wasAccepted = accepted.get(credential.digest) !== undefined;
    return jwt.verify(credential, wasAccepted ? undefined : throttle.token(address));
  }

  async function refuse(
    subject: string,
    text: string,
    { reason = 'token', keyId, why }: Omit<RefusedCredential, 'kind'>,
  ): Promise<never> {
    const id = keyId ?? parseApiKey(text)?.id;
    failed.refuseSpent(subject, id);
    onRefused(reason);
    await failed.charge(subject, id);
    const which = id === undefined ? '' : `, key ${id}`;
    throw unauthenticated(`the credential is not valid: ${why ?? reason}${which}`, true);
  }

  return {
    /** The principal of a credential that was verified before, by one local look-up; `undefined`: call `verify`. */
    known({ digest }: CallerCredential, address: string): Principal | undefined {
      const entry = accepted.get(digest);
      if (entry === undefined || (entry.allows !== undefined && !entry.allows(address))) return undefined;
      return entry.isFresh() ? entry.principal : undefined;
    },
    /**
     * Verifies a credential and returns its principal. `undefined` means that the request presents something that is not
     * exactly one credential. Rejects with 401 if the credential is wrong (this is counted for the address and for the key
     * that it names), with 429 if too many wrong ones were tried, and with 503 if it cannot be verified now. If the credential
     * is a key that Redis has lost, or cannot be checked now, `summary` gets its owner.
     */
    async verify(
      credential: CallerCredential | undefined,
      address: string,
      summary: CallerSummary,
    ): Promise<Principal> {
      const subject = addressSubject(address);
      if (credential === undefined)
        return refuse(subject, '', {
          reason: 'malformed',
          why: 'the request presents something that is not one credential',
        });
      const { digest, text } = credential;
      const result = await check(credential, subject).catch(throwNamed(accepted.get(digest), text, summary));
      if (result.kind === 'accepted') {
        accepted.set(digest, result, KNOWN_MS);
        if (result.allows?.(address) === false) return refuse(subject, text, { reason: 'wrong_address' });
        // This call marks the key as used.
        result.isFresh();
        return result.principal;
      }
      accepted.delete(digest);
      if (result.kind === 'refused' && result.reason === 'lost') {
        // That is no guess, so it is not counted as a wrong credential.
        onRefused('lost');
        throw lostKey(result, summary);
      }
      if (result.kind === 'refused') return refuse(subject, text, result);
      return refuse(subject, text, { reason: text.startsWith('ptk_') ? 'malformed' : 'unknown' });
    },
  };
}
