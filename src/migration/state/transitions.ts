// Computes the state after a step, a rollback, a hold, a walk or a change of rules, for judge and operators. All functions are
// pure. They do not check whether a step may be taken, and the store raises `rev` when it writes the state.

import { type MigrationStage, stages } from '../../config/schema/migration-stages.ts';
import { type DeclaredMigration, countsName } from './declared-migration.ts';
import {
  type MigrationState,
  type Position,
  positionOf,
  type Rollback,
  type RuntimeRule,
} from './migration-state.ts';

/** Who does something, and when (`at`, an instant in UTC). */
export type Attribution = { readonly by: string; readonly at: string };

/** The position of a stage that has no share. */
const atStage = (stage: Exclude<MigrationStage, 'ramp'>): Position => ({ stage, percent: 0 });

const rankOf = ({ stage, percent }: Position) => stages.indexOf(stage) * 1_000 + percent;

/** Whether `one` is further on the way from legacy to complete than `other`. */
export function isBeyond(one: Position, other: Position): boolean {
  return rankOf(one) > rankOf(other);
}

/** Begins the comparison counts anew. Earlier counts, walks, edge cases and failure drills no longer count. */
function withNewCounts(state: MigrationState, instant: string): MigrationState {
  const { rehearsedAt: _rehearsed, walk: _walk, edges: _edges, sourceChangedAt: _changed, ...rest } = state;
  return { ...rest, evidence: countsName(state.digests, state.rev + 1), evidenceSince: instant };
}

/** The operations that keep their own position when the resource goes to `to`. If it goes back, no operation stays ahead. */
function operationsAt(
  { operations, ...from }: MigrationState,
  to: Position,
): Readonly<Record<string, Position>> {
  const isBack = isBeyond(from, to);
  const stays = ([, own]: readonly [string, Position]) =>
    rankOf(own) !== rankOf(to) && !(isBack && isBeyond(own, to));
  return Object.fromEntries(Object.entries(operations).filter(stays));
}

/** Moves the whole resource or one operation to a position. When the resource leaves `legacy`, the counts begin anew. */
export function moved(
  state: MigrationState,
  to: Position,
  operation: string | undefined,
  instant: string,
): MigrationState {
  const { stage, percent } = to;
  const begins = operation === undefined && state.stage === 'legacy';
  const { pending: _pending, ...kept } = begins ? withNewCounts(state, instant) : state;
  const base = { ...kept, since: instant };
  if (operation === undefined) return { ...base, stage, percent, operations: operationsAt(state, to) };
  const { [operation]: _own, ...others } = state.operations;
  const isApart = rankOf(to) !== rankOf(state);
  return { ...base, operations: isApart ? { ...others, [operation]: { stage, percent } } : others };
}

/** Begins the migration: `create` has checked that both sources have the same records. */
export function begun(state: MigrationState, instant: string): MigrationState {
  return { ...withFreshStart(state, instant), isBegun: true };
}

/** Begins the comparison counts anew at the same position: when a migration begins, or when the new source's data was repaired. */
export function withFreshStart(state: MigrationState, instant: string): MigrationState {
  return { ...withNewCounts(state, instant), since: instant };
}

/**
 * Rolls back and holds: to `shadow`, or from `shadow` to `legacy`. The higher generation drops every cached answer of the new
 * source. After differences the comparison counts begin anew, because the old counts describe wrong data.
 */
export function rolledBack(
  state: MigrationState,
  { by, at: instant, rule, evidence }: Omit<Rollback, 'from'>,
  operation?: string,
): MigrationState {
  const { stage, percent } = positionOf(state, operation);
  const to = atStage(stage === 'legacy' || stage === 'shadow' ? 'legacy' : 'shadow');
  const next = {
    ...moved(state, to, operation, instant),
    generation: state.generation + 1,
    hold: { by, at: instant, reason: `rolled back (${rule}): ${evidence}` },
    lastRollback: { at: instant, by, rule, from: { stage, percent }, evidence },
  };
  return rule === 'difference' || rule === 'transient' ? withNewCounts(next, instant) : next;
}

/** Holds: no step forward is possible until `resumed`, and none waits for an approval any more. */
export function held(
  { pending: _pending, ...state }: MigrationState,
  { by, at }: Attribution,
  reason: string,
): MigrationState {
  return { ...state, hold: { by, at, reason } };
}

/** Ends a hold, so that steps forward are possible again. */
export function resumed(state: MigrationState): MigrationState {
  const { hold: _hold, ...rest } = state;
  return rest;
}

/** Notes changed source files: the counts begin anew, and the higher generation drops all cached answers of the new source. */
export function withDigests(
  state: MigrationState,
  digests: DeclaredMigration['digests'],
  instant: string,
): MigrationState {
  const next = withNewCounts({ ...state, digests }, instant);
  return { ...next, generation: state.generation + 1, sourceChangedAt: instant };
}

/** Records the result of a walk over all records. */
export function walked(
  state: MigrationState,
  { records, differences }: { readonly records: number; readonly differences: number },
  instant: string,
): MigrationState {
  return { ...state, walk: { at: instant, records, differences } };
}

/** Adds a rule, or replaces the rule with the same id. */
export function withRule(state: MigrationState, rule: RuntimeRule): MigrationState {
  return { ...state, rules: [...state.rules.filter(({ id }) => id !== rule.id), rule] };
}

/** Removes a rule and its acknowledgement. */
export function withoutRule(state: MigrationState, id: string): MigrationState {
  return {
    ...state,
    rules: state.rules.filter((rule) => rule.id !== id),
    acknowledged: state.acknowledged.filter((one) => one !== id),
  };
}
