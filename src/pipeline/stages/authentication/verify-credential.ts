import { fault, type GatewayError } from '../../../kernel/errors/fault.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';
import type { ApiKeyCheck } from './api-key-check.ts';
import { parseApiKey } from './api-key.ts';
import { addressSubject } from '../address-subject.ts';
import type { Principal } from '../call.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import type { JwtCheck } from './jwt.ts';
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
 * `onRefused` hears of each wrong credential that is answered with 401, and not of one that is answered with 429 because
 * too many came before it.
 */
export type CredentialVerifierDeps = {
  /** Absent if `auth.apiKeys` is not configured. */
  readonly apiKeys?: ApiKeyCheck | undefined;
  /** Absent if `auth.jwt` is not configured. */
  readonly jwt?: JwtCheck | undefined;
  readonly failed: FailedCredentials;
  readonly throttle: CredentialThrottle;
  /** Counts why credentials are refused. */
  readonly onRefused: (reason: RefusalReason) => void;
};

/** Bound of the verified credentials that a process remembers; fewer if tokens have very many permissions. */
const KNOWN_MAX = 50_000;
const PERMISSIONS_USUAL = 16;
/** A credential unused for so long is forgotten. How long its verification holds, `isFresh` says. */
const KNOWN_MS = 300_000;

/** A 401 with its challenge; the error is named only if a credential was presented (RFC 6750, section 3.1). */
export function unauthenticated(detail: string, presented: boolean): GatewayError {
  const challenge = `Bearer realm="portico"${presented ? ', error="invalid_token"' : ''}`;
  return fault('authentication_required', { detail, headers: { 'WWW-Authenticate': challenge } });
}

/** Creates what finds the principal of a credential, by the checks of keys and tokens. */
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

  /** The cheapest check first: good credentials pass however many wrong ones come from the same address. */
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
    /** The principal of a credential that was verified a moment ago: one local lookup. `undefined`: call `verify`. */
    known({ digest }: CallerCredential, address: string): Principal | undefined {
      const entry = accepted.get(digest);
      if (entry === undefined || (entry.allows !== undefined && !entry.allows(address))) return undefined;
      return entry.isFresh() ? entry.principal : undefined;
    },
    /**
     * The principal of a credential; `undefined` stands for a request that presents something else than one credential.
     * Rejects with 401 if it is wrong (charged to the address and to the key it names), 429 if it is wrong or
     * unknown and too many were tried, 503 if it cannot be verified now.
     */
    async verify(credential: CallerCredential | undefined, address: string): Promise<Principal> {
      const subject = addressSubject(address);
      if (credential === undefined)
        return refuse(subject, '', {
          reason: 'malformed',
          why: 'the request presents something that is not one credential',
        });
      const { digest, text } = credential;
      const result = await check(credential, subject);
      if (result.kind === 'accepted') {
        accepted.set(digest, result, KNOWN_MS);
        if (result.allows?.(address) === false) return refuse(subject, text, { reason: 'wrong_address' });
        // The question marks the key as used.
        result.isFresh();
        return result.principal;
      }
      accepted.delete(digest);
      if (result.kind === 'refused') return refuse(subject, text, result);
      return refuse(subject, text, { reason: text.startsWith('ptk_') ? 'malformed' : 'unknown' });
    },
  };
}
