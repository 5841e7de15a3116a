// Decides whether the step that an operator asks for is allowed, and computes the state after it.

import { type Condition, conditionName, conditionText } from '../judge/gate-facts.ts';
import type { Gate } from '../judge/gate.ts';
import {
  hasBegun,
  type MigrationState,
  type Position,
  positionOf,
  positionText,
} from '../state/migration-state.ts';
import { isBeyond, moved, withFreshStart } from '../state/transitions.ts';

/** A step that an operator asks for. */
export type StepRequest = {
  readonly to: Position;
  /** The operation that takes the step; absent if the whole resource takes it. */
  readonly operation?: string | undefined;
  /** Whether to take the step even if the gate is not ready. */
  readonly isForced: boolean;
  /** What a forced step may go over, as it was asked for; absent: everything. */
  readonly over?: readonly string[] | undefined;
  /** When the step is taken, as an instant in UTC. */
  readonly at: string;
};

/** `go`: the step is allowed, with the new state. `gate`: the gate is not ready. `refused`: the step is not possible. */
export type StepDecision =
  | { readonly kind: 'go'; readonly state: MigrationState }
  | { readonly kind: 'gate'; readonly unmet: readonly Condition[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly hint: string };

const refused = (reason: string, hint: string): StepDecision => ({ kind: 'refused', reason, hint });

/** Takes the step, and keeps the unmet conditions (`over`) of a forced step in the state. */
function go(
  state: MigrationState,
  { to, operation, at }: StepRequest,
  over: readonly string[],
): StepDecision {
  const forced = over.length === 0 ? undefined : { at, over };
  return { kind: 'go', state: { ...moved(state, to, operation, at), forced } };
}

/** Whether a forced step was asked for over a condition. Its value may have changed since. */
function isKnown(condition: Condition, over: StepRequest['over']): boolean {
  return over === undefined || over.some((text) => text.startsWith(`${conditionName(condition)}: `));
}

function decideForward(state: MigrationState, gate: Gate, request: StepRequest): StepDecision {
  const { to, isForced, over } = request;
  const { resource } = state;
  if (!hasBegun(state))
    return refused(
      'the migration has not begun: nobody has checked that both sources have the same records',
      `portico migration create ${resource}`,
    );
  // An operator or the judge has decided on the hold. Only `resume` ends it; --force does not.
  if (state.hold !== undefined)
    return refused(
      `the migration is on hold since ${state.hold.at}: ${state.hold.reason}`,
      `look at portico migration status ${resource}, then portico migration resume ${resource} --ack "<reason>"`,
    );
  const next = gate.next && positionText(gate.next);
  // If the next share reaches nobody, the least share that reaches a caller counts as the next step.
  const isLeast =
    gate.next?.stage === 'ramp' && to.stage === 'ramp' && to.percent <= (gate.reach?.least ?? 0);
  const isSkipping = gate.next === undefined || (isBeyond(to, gate.next) && !isLeast);
  if (!isForced && isSkipping)
    return refused(
      `${positionText(to)} is more than one step away`,
      `the next step is ${next ?? 'none'}; --force with a --reason skips steps`,
    );
  const unmet = gate.unmet.filter((one) => !isForced || !isKnown(one, over));
  if (unmet.length > 0) return { kind: 'gate', unmet };
  const skipped = isSkipping ? [`steps were left out: the next one was ${next ?? 'none'}`] : [];
  return go(state, request, [...skipped, ...gate.unmet.map(conditionText)]);
}

/**
 * Decides about a step. A step back is always allowed, except from `complete`. A step forward needs a gate that is ready, and no
 * step may be skipped, unless it is forced. A step from `shadow` to `shadow` begins the comparison counts anew.
 */
export function decideStep(state: MigrationState, gate: Gate, request: StepRequest): StepDecision {
  const { to, operation, isForced, at } = request;
  const from = positionOf(state, operation);
  if (isBeyond(to, from)) return decideForward(state, gate, request);
  if (from.stage === 'complete' && !isForced)
    return refused(
      'the migration is complete: the legacy service may be switched off',
      'if it still answers, --force with a --reason goes back',
    );
  const over = from.stage === 'complete' ? ['it was complete: the legacy service may be switched off'] : [];
  if (isBeyond(from, to)) return go(state, request, over);
  if (to.stage === 'shadow' && operation === undefined)
    return { kind: 'go', state: withFreshStart(state, at) };
  return refused(`it is at ${positionText(from)} already`, 'portico migration status shows where it is');
}
