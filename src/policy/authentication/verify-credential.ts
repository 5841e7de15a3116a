import { fault, type GatewayError } from '../../errors/fault.ts';
import { createBoundedMap } from '../../store/bounded-map.ts';
import type { ApiKeyCheck } from './api-key-check.ts';
import { parseApiKey } from './api-key.ts';
import type { Principal } from '../call.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import type { JwtCheck } from './jwt.ts';
import type { Trials } from './credential-throttle.ts';
import { type Accepted, type Credential, FOREIGN, type Verdict } from './credential-result.ts';

/** Tells who presents a credential. */
export type CredentialVerifier = {
  /** The principal of a credential verified a moment ago: one local lookup. `undefined`: ask `verify`. */
  known(credential: Credential): Principal | undefined;
  /**
   * The principal of a credential. Rejects with 401 where it is wrong (and charges the address and the key it names),
   * 429 where it is wrong or not known and too many have been tried, 503 where it cannot be verified now. `undefined`
   * stands for what is no credential.
   */
  verify(credential: Credential | undefined, address: string): Promise<Principal>;
};

export type CredentialVerifierDeps = {
  /** Absent where `auth.apiKeys` is not configured. */
  readonly apiKeys?: ApiKeyCheck | undefined;
  /** Absent where `auth.jwt` is not configured. */
  readonly jwt?: JwtCheck | undefined;
  readonly failed: FailedCredentials;
  readonly trials: Trials;
};

/** Bound of the verified credentials a process remembers; of fewer where tokens have very many permissions. */
const KNOWN_MAX = 50_000;
const PERMISSIONS_USUAL = 16;
/** A credential unused for so long is forgotten; how long a verification holds is the verdict's own affair. */
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
  trials,
}: CredentialVerifierDeps): CredentialVerifier {
  const accepted = createBoundedMap<Accepted>(
    KNOWN_MAX,
    ({ principal }) => principal.permissions.size / PERMISSIONS_USUAL,
  );

  /** Whatever is tried from the address, its good credentials pass, as far as that can be known here at a small cost. */
  async function verdictOn(credential: Credential, address: string): Promise<Verdict> {
    const configured = apiKeys?.configured(credential) ?? FOREIGN;
    if (configured.kind !== 'foreign') return configured;
    const stored = (await apiKeys?.stored(credential, trials.lookup(address))) ?? FOREIGN;
    if (stored.kind !== 'foreign' || jwt === undefined) return stored;
    const wasGood = accepted.get(credential.digest) !== undefined;
    return jwt.verify(credential, wasGood ? undefined : trials.token(address));
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
      const verdict = await verdictOn(credential, address);
      if (verdict.kind === 'accepted') {
        accepted.set(credential.digest, verdict, KNOWN_MS);
        return verdict.principal;
      }
      accepted.delete(credential.digest);
      const why = verdict.kind === 'refused' && verdict.why !== undefined ? `: ${verdict.why}` : '';
      return refuse(address, credential.text, `the credential is not valid${why}`);
    },
  };
}
