// The stage that finds out who calls, by an API key, a token, or the address alone.

import type { ErrorCode } from '../../../kernel/errors/catalogue.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import { openTimings, timed } from '../../../telemetry/requests/request-timings.ts';
import { addressSubject } from '../address-subject.ts';
import type { Call, Principal, Stage } from '../call.ts';
import type { RefusalReason } from './credential-result.ts';
import { presentedCredential } from './presented-credential.ts';
import {
  createCredentialVerifier,
  type CredentialVerifierDeps,
  unauthenticated,
} from './verify-credential.ts';

/** The result for a credential, as a label of metrics. `limited`: too many wrong credentials were tried. */
export type CredentialOutcome = 'accepted' | 'missing' | 'refused' | 'limited' | 'unavailable';

/** What the stage needs. A caller without a credential gets 401, unless the operation is public. */
export type AuthenticateDeps = Omit<CredentialVerifierDeps, 'onRefused'> & {
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
  const { anonymousTier, metrics } = deps;
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
    const presented = presentedCredential(call.request);
    if (presented.kind === 'none') return anonymous(call);
    const credential = presented.kind === 'one' ? presented.credential : undefined;
    const { address } = call.request;
    const known = credential === undefined ? undefined : verifier.known(credential, address);
    return known ?? verifier.verify(credential, address).catch(countFailure);
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
      return timed(openTimings(call.summary), 'credential', principal).then((found) => {
        accept(call, found);
        return next(call);
      });
    };
}
