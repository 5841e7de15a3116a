import type { Rows } from '../adapter/compile.ts';
import type { Capability } from '../adapter/plan/push-down.ts';
import type { WindowCall } from '../adapter/plan/window.ts';
import type { Value } from '../contract/fields.ts';

/**
 * What a source can promise is judged in this room, one file per promise. Each file has a pure check that takes what a
 * reply showed and says how it breaks the promise; `undefined` means that it does not. The gateway runs the checks on
 * every answer, so a check that finds nothing allocates nothing.
 */

/** A row as claims see it: its id, and its values by field. `infer` can make one before it has a mapping. */
export type EvidenceRow = { readonly id: string } & Readonly<Record<string, Value>>;

/** One window of rows: how it was asked for, and what came. */
export type WindowEvidence = { readonly call: WindowCall; readonly rows: Rows };

/** The rows contradict a claim of the source's file, once. */
export type ClaimContradicted = {
  readonly kind: 'contradicted';
  readonly capability: Capability;
  /** What contradicts it: never a value. */
  readonly detail: string;
};

/** The replies of one walk do not fit together, or not with the total. */
export type InconsistentReads = { readonly kind: 'inconsistent'; readonly detail: string };

/** How a reply breaks what the file promises. */
export type Violation = ClaimContradicted | InconsistentReads;

/** The rows contradict the claim of a capability; `detail` says how, in words. */
export function contradicted(capability: Capability, detail = 'rows contradict it'): ClaimContradicted {
  return { kind: 'contradicted', capability, detail };
}

/** The replies do not fit together; `detail` says how, in words. */
export function inconsistent(detail: string): InconsistentReads {
  return { kind: 'inconsistent', detail };
}
