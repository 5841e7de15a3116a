// Computes the state after a step, a rollback, a hold, a walk or a change of rules. All functions are pure: the gate
// decides elsewhere whether a step may be taken, and the store raises `rev` when it writes the state.

import { type MigrationStage, stages } from '../../config/schema/migration.ts';
import { type DeclaredMigration, evidenceName } from './declared-migration.ts';
import type { ProbedEdges } from '../operate/operator-tasks.ts';
import type { KeptRule, MigrationState, Position, Rollback } from './migration-state.ts';
import { positionOf } from './position.ts';

/** Who does something, and when: an instant in UTC. */
export type Attribution = { readonly by: string; readonly at: string };

/** The position of a stage that has no share. */
const atStage = (stage: Exclude<MigrationStage, 'ramp'>): Position => ({ stage, percent: 0 });

const rankOf = ({ stage, percent }: Position) => stages.indexOf(stage) * 1_000 + percent;

/** Whether the one position is further on the way than the other. */
export function isBeyond(one: Position, other: Position): boolean {
  return rankOf(one) > rankOf(other);
}

/** The evidence begins anew: what was learnt before does not count any more. */
function withNewEvidence(state: MigrationState, instant: string): MigrationState {
  const { rehearsedAt: _rehearsed, walk: _walk, edges: _edges, sourceChangedAt: _changed, ...rest } = state;
  return { ...rest, evidence: evidenceName(state.digests, state.rev + 1), evidenceSince: instant };
}

/** The operations that are elsewhere than the resource; none of them stays ahead of one that goes back. */
function operationsAt(
  { operations, ...from }: MigrationState,
  to: Position,
): Readonly<Record<string, Position>> {
  const isBack = isBeyond(from, to);
  const stays = ([, own]: readonly [string, Position]) =>
    rankOf(own) !== rankOf(to) && !(isBack && isBeyond(own, to));
  return Object.fromEntries(Object.entries(operations).filter(stays));
}

/** Goes to a position, with the whole resource or with one operation. From `legacy`, the evidence begins there. */
export function moved(
  state: MigrationState,
  to: Position,
  operation: string | undefined,
  instant: string,
): MigrationState {
  const { stage, percent } = to;
  const begins = operation === undefined && state.stage === 'legacy';
  const base = { ...(begins ? withNewEvidence(state, instant) : state), since: instant };
  if (operation === undefined) return { ...base, stage, percent, operations: operationsAt(state, to) };
  const { [operation]: _own, ...others } = state.operations;
  const isApart = rankOf(to) !== rankOf(state);
  return { ...base, operations: isApart ? { ...others, [operation]: { stage, percent } } : others };
}

/** The same position with new evidence: the migration begins, or the data of the new store was mended. */
export function withFreshStart(state: MigrationState, instant: string): MigrationState {
  return { ...withNewEvidence(state, instant), since: instant };
}

/** What a rollback rests on. */
export type RollbackGrounds = Attribution & Pick<Rollback, 'rule' | 'evidence'>;

/**
 * Goes back to the legacy source, and holds: `shadow` again, from `shadow` to `legacy`. All that is kept of the new source is
 * forgotten. After differences the evidence begins anew, because it holds what was wrong.
 */
export function rolledBack(
  state: MigrationState,
  { by, at: instant, rule, evidence }: RollbackGrounds,
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
  return rule === 'difference' ? withNewEvidence(next, instant) : next;
}

/** No step forward from now on. */
export function held(
  state: MigrationState,
  { by, at: instant }: Attribution,
  reason: string,
): MigrationState {
  return { ...state, hold: { by, at: instant, reason } };
}

/** Steps forward are possible again. */
export function resumed(state: MigrationState): MigrationState {
  const { hold: _hold, ...rest } = state;
  return rest;
}

/** The file of a source says something else: what was learnt of the old one does not count, and nothing of it is served. */
export function withDigests(
  state: MigrationState,
  digests: DeclaredMigration['digests'],
  instant: string,
): MigrationState {
  const next = withNewEvidence({ ...state, digests }, instant);
  return { ...next, generation: state.generation + 1, sourceChangedAt: instant };
}

/** All records were compared. */
export function walked(
  state: MigrationState,
  walk: { readonly records: number; readonly differences: number },
  instant: string,
): MigrationState {
  const { records, differences } = walk;
  return { ...state, walk: { at: instant, records, differences } };
}

/** The edges of what may be asked were compared. */
export function withProbedEdges(
  state: MigrationState,
  { edges: asked, edgesDifferent: different, named }: ProbedEdges,
  instant: string,
): MigrationState {
  return { ...state, edges: { at: instant, asked, different, named } };
}

/** Adds a rule, or replaces the one with its id. */
export function withRule(state: MigrationState, rule: KeptRule): MigrationState {
  return { ...state, rules: [...state.rules.filter(({ id }) => id !== rule.id), rule] };
}

/** Takes a rule away; its acknowledgement goes with it. */
export function withoutRule(state: MigrationState, id: string): MigrationState {
  return {
    ...state,
    rules: state.rules.filter((rule) => rule.id !== id),
    acknowledged: state.acknowledged.filter((one) => one !== id),
  };
}

/** Somebody accepts for good what rules ignore. */
export function withAcknowledged(state: MigrationState, ids: readonly string[]): MigrationState {
  return { ...state, acknowledged: [...new Set([...state.acknowledged, ...ids])] };
}
