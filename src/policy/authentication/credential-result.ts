import { hash } from 'node:crypto';
import type { Principal } from '../call.ts';

/** A credential as one request presented it. */
export type Credential = {
  readonly text: string;
  /** Names the credential, and the header it came in, in local memory. */
  readonly digest: string;
  /** Whether it came as a bearer token; only there a JWT may stand. */
  readonly bearer: boolean;
};

/** A verified credential. */
export type Accepted = {
  readonly kind: 'accepted';
  readonly principal: Principal;
  /**
   * Whether the principal may be used once more without verifying the credential again. It does no I/O that the
   * caller would wait for.
   */
  readonly isFresh: () => boolean;
};

/** What a check makes of a credential. `foreign`: it is none of this check's kind. */
export type Verdict = Accepted | Refused | { readonly kind: 'foreign' };

/** A credential that is not valid; `why`, where it is told, is a fixed word for the log alone. */
export type Refused = { readonly kind: 'refused'; readonly why?: string };

export const REFUSED = { kind: 'refused' } as const;
export const FOREIGN = { kind: 'foreign' } as const;

/** A cheap one-way name of a text. The HMAC under the pepper costs several times as much. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64');
}
