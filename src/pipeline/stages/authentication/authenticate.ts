// The stage that finds out who calls, by an API key, a token, or the address alone.

import type { ErrorCode } from '../../../kernel/errors/catalogue.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import { obtainTimings, timed } from '../../../telemetry/requests/request-timings.ts';
import { addressSubject } from '../address-subject.ts';
import type { Call, Principal, Stage, RequestParts } from '../call.ts';
import type { RefusalReason, CallerCredential } from './credential-result.ts';
import type { HostPrincipal } from './host-principal.ts';
import {
  createCredentialVerifier,
  type CredentialVerifierDeps,
  unauthenticated,
} from './verify-credential.ts';
import { hash } from 'node:crypto';

/** What a request presents: no credential, exactly one, or something that is not exactly one (`malformed`). */
type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'one'; readonly credential: CallerCredential };

const VALUE_LENGTH_MAX = 8 * 1024;

/** A text of visible ASCII characters without spaces. Every key and every JWT has this form. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The value of `Authorization` (RFC 6750, section 2.1). The name of the scheme is case-insensitive (RFC 9110). */
const BEARER = /^bearer +([\x21-\x7e]+)$/i;

function bearerToken(value: string): string | undefined {
  return value.length > VALUE_LENGTH_MAX ? undefined : BEARER.exec(value)?.[1];
}

function plainToken(value: string): string | undefined {
  return value.length > VALUE_LENGTH_MAX || !TOKEN.test(value) ? undefined : value;
}

/** The token that all values have in common; `undefined` if they differ, or if a value has none. */
function onlyToken(authorization: readonly string[], apiKey: readonly string[]): string | undefined {
  // This is a shortcut, because almost every request has exactly one value.
  if (apiKey.length === 0 && authorization.length === 1) return bearerToken(authorization[0] ?? '');
  const tokens = [...authorization.map(bearerToken), ...apiKey.map(plainToken)];
  const [text] = tokens;
  return tokens.every((token) => token === text) ? text : undefined;
}

/**
 * Finds the credential of a request in `Authorization: Bearer` and `X-API-Key`. Several headers may have the same
 * credential. Two different ones, or a value that is no credential, make the request malformed.
 *
 * @internal
 */
export function presentedCredential({
  authorization,
  apiKey,
}: Pick<RequestParts, 'authorization' | 'apiKey'>): Presented {
  if (authorization.length === 0 && apiKey.length === 0) return { kind: 'none' };
  const text = onlyToken(authorization, apiKey);
  if (text === undefined) return { kind: 'malformed' };
  const bearer = authorization.length > 0;
  // A JWT is accepted in one of the headers only, so the digest depends on the header. No token has a space.
  // The digest is made for every request. It is hexadecimal, because Base64 would take 50 % more time.
  const digest = hash('sha256', bearer ? text : `X-API-Key ${text}`, 'hex');
  return { kind: 'one', credential: { text, digest, bearer } };
}

/** The result for a credential, as a label of metrics. `limited`: too many wrong credentials were tried. */
export type CredentialOutcome = 'accepted' | 'missing' | 'refused' | 'limited' | 'unavailable';

/** What the stage needs. A caller without a credential gets 401, unless the operation is public. */
export type AuthenticateDeps = Omit<CredentialVerifierDeps, 'onRefused'> & {
  /** Asks the host of the library, before any credential is looked at; absent: there is no host that knows callers. */
  readonly host?: { readonly principalOf: HostPrincipal; readonly exclusive: boolean } | undefined;
  /** The tier of callers without a credential. */
  readonly anonymousTier: string;
  readonly metrics: {
    credential(kind: Principal['kind'] | 'unknown', outcome: CredentialOutcome): void;
    readonly refusedCredential: (reason: RefusalReason) => void;
  };
};

const OUTCOMES: Readonly<Partial<Record<ErrorCode, CredentialOutcome>>> = {
  authentication_required: 'refused',
  rate_limit_exceeded: 'limited',
  upstream_unavailable: 'unavailable',
};

const NO_PERMISSIONS: ReadonlySet<string> = new Set();

/**
 * Creates the stage that sets the principal of a call. A known credential takes one local look-up. The stage also limits the
 * wrong credentials of an address, so that keys cannot be guessed. @throws GatewayError 401, 429 or 503
 */
export function createAuthenticate(deps: AuthenticateDeps): Stage {
  const { anonymousTier, metrics, host } = deps;
  const verifier = createCredentialVerifier({
    ...deps,
    onRefused: metrics.refusedCredential,
  });

  function anonymous(call: Call): Principal {
    if (call.permission !== null) {
      metrics.credential('unknown', 'missing');
      throw unauthenticated('no credential', false);
    }
    const subject = addressSubject(call.request.address);
    return {
      kind: 'anonymous',
      id: 'anonymous',
      subject,
      permissions: NO_PERMISSIONS,
      tier: anonymousTier,
      operations: undefined,
    };
  }

  function countFailure(error: unknown): never {
    const outcome = error instanceof GatewayError ? OUTCOMES[error.code] : undefined;
    if (outcome !== undefined) metrics.credential('unknown', outcome);
    throw error;
  }

  function identify(call: Call): Principal | Promise<Principal> {
    const found = host?.principalOf(call);
    if (found instanceof Promise) return found.then((known) => known ?? byCredential(call));
    return found ?? byCredential(call);
  }

  function byCredential(call: Call): Principal | Promise<Principal> {
    if (host?.exclusive === true) return anonymous(call);
    const presented = presentedCredential(call.request);
    if (presented.kind === 'none') return anonymous(call);
    const credential = presented.kind === 'one' ? presented.credential : undefined;
    const { address } = call.request;
    const known = credential === undefined ? undefined : verifier.known(credential, address);
    return known ?? verifier.verify(credential, address, call.summary).catch(countFailure);
  }

  function accept(call: Call, principal: Principal): void {
    call.principal = principal;
    call.summary.principalId = principal.id;
    call.summary.principalLabel = principal.label;
    metrics.credential(principal.kind, 'accepted');
  }

  return (next) =>
    function authenticated(call) {
      const principal = identify(call);
      if (!(principal instanceof Promise)) {
        accept(call, principal);
        return next(call);
      }
      return timed(obtainTimings(call.summary), 'credential', principal).then((found) => {
        accept(call, found);
        return next(call);
      });
    };
}
