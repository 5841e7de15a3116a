import type { Priority } from '../../../kernel/upstream-call.ts';

/** A call that holds a slot, or asks for one. */
export type SlotCall = {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Who caused it: `principal` names the caller. */
  readonly usage?: { readonly principal?: string | undefined } | undefined;
};

/** The principal of a call: its caller, or all calls of its priority together. Calls without a caller's name have ''. */
export function principalOf({ priority, usage }: SlotCall): string {
  return priority === 'caller' ? (usage?.principal ?? '') : priority;
}
