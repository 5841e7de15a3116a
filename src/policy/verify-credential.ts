import { fault, type GatewayError } from '../errors/fault.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import type { ApiKeyCheck } from './api-key-check.ts';
import type { Principal } from './call.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import type { JwtCheck } from './jwt.ts';
import { type Accepted, type Credential, FOREIGN, type Verdict } from './verdict.ts';

/** Tells who presents a credential. */
export type CredentialVerifier = {
  /** The principal of a credential verified a moment ago: one local lookup. `undefined`: ask `verify`. */
  known(credential: Credential): Principal | undefined;
  /**
   * The principal of a credential. Rejects with 401 where it is wrong (and charges `subject`), 429 where the address
   * has tried too many wrong ones, 503 where it cannot be verified now. `undefined` stands for what is no credential.
   */
  verify(credential: Credential | undefined, subject: string): Promise<Principal>;
};

export type CredentialVerifierDeps = {
  /** Absent where `auth.apiKeys` is not configured. */
  readonly apiKeys?: ApiKeyCheck | undefined;
  /** Absent where `auth.jwt` is not configured. */
  readonly jwt?: JwtCheck | undefined;
  readonly failed: FailedCredentials;
};

/** Bound of the verified credentials a process remembers. */
const KNOWN_MAX = 50_000;
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
}: CredentialVerifierDeps): CredentialVerifier {
  const accepted = createBoundedMap<Accepted>(KNOWN_MAX, () => 1);

  /** Refuses before anything is asked on behalf of an address that guesses. */
  function refuseGuessing(subject: string): void {
    const retryAfterSeconds = failed.spentForSeconds(subject);
    if (retryAfterSeconds === undefined) return;
    throw fault('rate_limit_exceeded', {
      detail: 'too many wrong credentials from this address',
      retryAfterSeconds,
    });
  }

  async function ask(credential: Credential): Promise<Verdict> {
    const verdict = (await apiKeys?.stored(credential)) ?? FOREIGN;
    return verdict.kind === 'foreign' ? ((await jwt?.verify(credential)) ?? FOREIGN) : verdict;
  }

  async function verdictOn(credential: Credential, subject: string): Promise<Verdict> {
    const configured = apiKeys?.configured(credential) ?? FOREIGN;
    if (configured.kind === 'accepted') return configured;
    // A caller known here is served whatever others behind its address do.
    if (accepted.get(credential.digest) === undefined) refuseGuessing(subject);
    return configured.kind === 'refused' ? configured : ask(credential);
  }

  async function refuse(subject: string, detail: string): Promise<never> {
    await failed.charge(subject);
    throw unauthenticated(detail, true);
  }

  return {
    known({ digest }) {
      const entry = accepted.get(digest);
      return entry?.isFresh() === true ? entry.principal : undefined;
    },
    async verify(credential, subject) {
      if (credential === undefined) {
        refuseGuessing(subject);
        return refuse(subject, 'the request presents something that is not one credential');
      }
      const verdict = await verdictOn(credential, subject);
      if (verdict.kind === 'accepted') {
        accepted.set(credential.digest, verdict, KNOWN_MS);
        return verdict.principal;
      }
      accepted.delete(credential.digest);
      const why = verdict.kind === 'refused' && verdict.why !== undefined ? `: ${verdict.why}` : '';
      return refuse(subject, `the credential is not valid${why}`);
    },
  };
}
