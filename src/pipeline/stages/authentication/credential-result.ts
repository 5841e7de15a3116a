import type { Principal } from '../call.ts';
import type { AllowsAddress } from '../allowed-addresses.ts';

/** A credential as one request presented it. */
export type CallerCredential = {
  readonly text: string;
  /** Names the credential, and the header it came in, in local memory. */
  readonly digest: string;
  /** Whether it came as a bearer token; only there a JWT may stand. */
  readonly bearer: boolean;
};

/** A verified credential. */
export type AcceptedCredential = {
  readonly kind: 'accepted';
  readonly principal: Principal;
  /** Whether the principal may be used once more without another verification. It does no I/O that callers wait for. */
  readonly isFresh: () => boolean;
  /** Whether it may be used from an address; `undefined`: from anywhere. */
  readonly allows?: AllowsAddress | undefined;
};

/** Why credentials are refused: labels of metrics, and words of the log. */
export const refusalReasons = [
  'malformed',
  'unknown',
  'wrong_secret',
  'revoked',
  'expired',
  'wrong_address',
  'token',
] as const;

/** Why a credential is refused. The caller never learns it. */
export type RefusalReason = (typeof refusalReasons)[number];

/** A credential that is not valid. `keyId` is the key that it names, `why` a code for the log alone. */
export type RefusedCredential = {
  readonly kind: 'refused';
  readonly reason?: RefusalReason;
  readonly keyId?: string;
  readonly why?: string;
};

/** The result of one check of a credential. `unrecognised`: the credential is of a kind that the check does not know. */
export type CredentialResult = AcceptedCredential | RefusedCredential | { readonly kind: 'unrecognised' };

/** A credential of a kind that the check does not know. */
export const UNRECOGNISED = { kind: 'unrecognised' } as const;
