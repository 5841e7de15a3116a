import { fault, type GatewayError } from '../../errors/fault.ts';
import { createBoundedMap } from '../../store/bounded-map.ts';
import type { ApiKeyCheck } from './api-key-check.ts';
import { parseApiKey } from './api-key.ts';
import type { Principal } from '../call.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import type { JwtCheck } from './jwt.ts';
import type { CredentialThrottle } from './credential-throttle.ts';
import {
  type AcceptedCredential,
  type CallerCredential,
  type CredentialResult,
  UNRECOGNISED,
} from './credential-result.ts';

/** Finds the principal of a credential. */
export type CredentialVerifier = {
  /** The principal of a credential that was verified a moment ago: one local lookup. `undefined`: call `verify`. */
  known(credential: CallerCredential): Principal | undefined;
  /**
   * The principal of a credential; `undefined` stands for a request that presents something else than one credential.
   * Rejects with 401 where it is wrong (charged to the address and to the key it names), 429 where it is wrong or
   * unknown and too many were tried, 503 where it cannot be verified now.
   */
  verify(credential: CallerCredential | undefined, address: string): Promise<Principal>;
};

export type CredentialVerifierDeps = {
  /** Absent where `auth.apiKeys` is not configured. */
  readonly apiKeys?: ApiKeyCheck | undefined;
  /** Absent where `auth.jwt` is not configured. */
  readonly jwt?: JwtCheck | undefined;
  readonly failed: FailedCredentials;
  readonly throttle: CredentialThrottle;
};

/** Bound of the verified credentials that a process remembers; fewer where tokens have very many permissions. */
const KNOWN_MAX = 50_000;
const PERMISSIONS_USUAL = 16;
/** A credential unused for so long is forgotten. How long its verification holds, `isFresh` says. */
const KNOWN_MS = 300_000;

/** A 401 with its challenge; the error is named only where a credential was presented (RFC 6750, section 3.1). */
export function unauthenticated(detail: string, presented: boolean): GatewayError {
  const challenge = `Bearer realm="portico"${presented ? ', error="invalid_token"' : ''}`;
  return fault('authentication_required', { detail, headers: { 'WWW-Authenticate': challenge } });
}

/** Creates the verifier over the checks of keys and tokens. */
export function createCredentialVerifier({
  apiKeys,
  jwt,
  failed,
  throttle,
}: CredentialVerifierDeps): CredentialVerifier {
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

  async function refuse(address: string, text: string, detail: string): Promise<never> {
    const keyId = parseApiKey(text)?.id;
    failed.refuseSpent(address, keyId);
    await failed.charge(address, keyId);
    throw unauthenticated(detail, true);
  }

  return {
    known({ digest }) {
      const entry = accepted.get(digest);
      return entry?.isFresh() === true ? entry.principal : undefined;
    },
    async verify(credential, address) {
      if (credential === undefined)
        return refuse(address, '', 'the request presents something that is not one credential');
      const result = await check(credential, address);
      if (result.kind === 'accepted') {
        accepted.set(credential.digest, result, KNOWN_MS);
        return result.principal;
      }
      accepted.delete(credential.digest);
      const why = result.kind === 'refused' && result.why !== undefined ? `: ${result.why}` : '';
      return refuse(address, credential.text, `the credential is not valid${why}`);
    },
  };
}
