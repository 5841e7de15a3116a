// The types that all checks of credentials share: what is presented, and whether it is accepted or refused.

import type { Principal } from '../call.ts';
import type { AllowsAddress } from '../allowed-addresses.ts';

/** A credential as one request presented it. */
export type CallerCredential = {
  readonly text: string;
  /** A hash of the credential and of the kind of its header: its key in local memory. */
  readonly digest: string;
  /** Whether it came in `Authorization: Bearer`. A JWT is accepted only there. */
  readonly bearer: boolean;
};

/** A verified credential. */
export type AcceptedCredential = {
  readonly kind: 'accepted';
  readonly principal: Principal;
  /** Whether the principal may be used once more without another verification. It answers at once, without I/O. */
  readonly isFresh: () => boolean;
  /** Whether the credential may be used from an address; absent if it may be used from anywhere. */
  readonly allows?: AllowsAddress | undefined;
};

/** The reasons why credentials are refused, as labels of metrics and words of the log. */
export const refusalReasons = [
  'malformed',
  'unknown',
  'lost',
  'wrong_secret',
  'revoked',
  'expired',
  'wrong_address',
  'token',
] as const;

/** Why a credential is refused. The caller never learns the reason. */
export type RefusalReason = (typeof refusalReasons)[number];

/**
 * A credential that is not valid. `keyId` is the id of the key that it names, `label` the label of one that Redis has lost;
 * `why` is a code for the log.
 */
export type RefusedCredential = {
  readonly kind: 'refused';
  readonly reason?: RefusalReason;
  readonly keyId?: string;
  readonly label?: string;
  readonly why?: string;
};

/** The result of one check of a credential. `unrecognised`: the check does not know such a credential, so others may. */
export type CredentialResult = AcceptedCredential | RefusedCredential | { readonly kind: 'unrecognised' };

/** The result of a check that does not know the credential. */
export const UNRECOGNISED = { kind: 'unrecognised' } as const;
