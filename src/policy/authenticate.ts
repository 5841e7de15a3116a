import { fault, GatewayError } from '../errors/fault.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import { addressSubject } from './address-subject.ts';
import type { ApiKeyCheck } from './api-key-check.ts';
import type { Call, Principal, Stage } from './call.ts';
import { presentedCredential } from './credential.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import type { JwtCheck } from './jwt.ts';
import { type Accepted, type Credential, FOREIGN, type Verdict } from './verdict.ts';

/** What became of a credential, for the metrics; `limited`: its address has tried too many wrong ones. */
export type CredentialOutcome = 'accepted' | 'missing' | 'refused' | 'limited' | 'unavailable';

export type AuthenticateDeps = {
  /** Absent where `auth.apiKeys` is not configured. */
  readonly apiKeys?: ApiKeyCheck | undefined;
  /** Absent where `auth.jwt` is not configured. */
  readonly jwt?: JwtCheck | undefined;
  readonly failed: FailedCredentials;
  /** The tier of callers without a credential. */
  readonly anonymousTier: string;
  readonly onCredential?:
    ((kind: Principal['kind'] | 'unknown', outcome: CredentialOutcome) => void) | undefined;
};

/** Bound of the verified credentials a process remembers. */
const KNOWN_MAX = 50_000;
/** A credential unused for so long is verified anew; how long a verification holds is the verdict's own affair. */
const KNOWN_MS = 300_000;

const NO_PERMISSIONS: ReadonlySet<string> = new Set();

/** Makes the stage that finds out who calls. A known credential costs one local lookup. */
export function createAuthenticate(deps: AuthenticateDeps): Stage {
  const { apiKeys, jwt, failed, anonymousTier, onCredential } = deps;
  const known = createBoundedMap<Accepted>(KNOWN_MAX, () => 1);

  function settle(call: Call, principal: Principal): void {
    call.principal = principal;
    call.trace.principalId = principal.id;
    onCredential?.(principal.kind, 'accepted');
  }

  function anonymous(call: Call): Principal {
    if (call.permission !== null) {
      onCredential?.('unknown', 'missing');
      throw unauthenticated('no credential', 'Bearer realm="portico"');
    }
    const subject = addressSubject(call.request.address);
    return { kind: 'anonymous', id: 'anonymous', subject, permissions: NO_PERMISSIONS, tier: anonymousTier };
  }

  /** Refuses before anything is asked on behalf of an address that guesses. */
  function refuseGuessing(subject: string): void {
    const retryAfterSeconds = failed.spentForSeconds(subject);
    if (retryAfterSeconds === undefined) return;
    onCredential?.('unknown', 'limited');
    throw fault('rate_limit_exceeded', {
      detail: 'too many wrong credentials from this address',
      retryAfterSeconds,
    });
  }

  async function refuse(subject: string, detail: string): Promise<never> {
    await failed.charge(subject);
    onCredential?.('unknown', 'refused');
    // RFC 6750, section 3.1: the error is named only where a credential was presented.
    throw unauthenticated(detail, 'Bearer realm="portico", error="invalid_token"');
  }

  async function ask(credential: Credential): Promise<Verdict> {
    const verdict = (await apiKeys?.stored(credential)) ?? FOREIGN;
    return verdict.kind === 'foreign' ? ((await jwt?.verify(credential)) ?? FOREIGN) : verdict;
  }

  async function verdictOn(credential: Credential, subject: string): Promise<Verdict> {
    const configured = apiKeys?.configured(credential) ?? FOREIGN;
    if (configured.kind === 'accepted') return configured;
    // A caller known here is served whatever others behind its address do.
    if (known.get(credential.digest) === undefined) refuseGuessing(subject);
    return configured.kind === 'refused' ? configured : ask(credential);
  }

  async function verify(credential: Credential, call: Call): Promise<Principal> {
    const subject = addressSubject(call.request.address);
    const verdict = await verdictOn(credential, subject).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'upstream_unavailable')
        onCredential?.('unknown', 'unavailable');
      throw error;
    });
    if (verdict.kind === 'accepted') {
      known.set(credential.digest, verdict, KNOWN_MS);
      return verdict.principal;
    }
    known.delete(credential.digest);
    return refuse(subject, 'the credential is not valid');
  }

  async function identify(call: Call, credential: Credential | undefined): Promise<Principal> {
    if (credential !== undefined) return verify(credential, call);
    const subject = addressSubject(call.request.address);
    refuseGuessing(subject);
    return refuse(subject, 'the request presents something that is not one credential');
  }

  return (next) => async (call) => {
    const presented = presentedCredential(call.request);
    if (presented.kind === 'none') {
      settle(call, anonymous(call));
      return next(call);
    }
    const credential = presented.kind === 'one' ? presented.credential : undefined;
    const entry = credential === undefined ? undefined : known.get(credential.digest);
    settle(call, entry?.isFresh() === true ? entry.principal : await identify(call, credential));
    return next(call);
  };
}

function unauthenticated(detail: string, challenge: string): GatewayError {
  return fault('authentication_required', { detail, headers: { 'WWW-Authenticate': challenge } });
}
