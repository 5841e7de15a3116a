// The rollback of one process alone: how it stands beside the state that all processes share.

import type { MigrationStage } from '../../config/schema/migration-stages.ts';
import type { MigrationState } from './migration-state.ts';
import { positionOf } from './operation-position.ts';
import { isBeyond } from './transitions.ts';

const SERVING: readonly MigrationStage[] = ['ramp', 'live', 'complete'];

/** Whether a state sends callers to the new source although the rollback of this process keeps them at the legacy one. */
function isFurtherAhead(state: MigrationState, local: MigrationState): boolean {
  const operations = [undefined, ...Object.keys(state.operations), ...Object.keys(local.operations)];
  return operations.some((operation) => {
    const position = positionOf(state, operation);
    return SERVING.includes(position.stage) && isBeyond(position, positionOf(local, operation));
  });
}

/**
 * The state that a process serves by after a rollback of its own: where callers go is as that rollback has set it, and all
 * else, such as rules, follows the shared state. Its `rev` is 0: it serves by no state of the fleet, so it is not counted
 * among those that have taken one over.
 */
export function withLocalRollback(local: MigrationState, shared: MigrationState): MigrationState {
  const { stage, percent, operations, hold, lastRollback } = local;
  const generation = Math.max(local.generation, shared.generation);
  return { ...shared, stage, percent, operations, hold, lastRollback, generation, rev: 0 };
}

/** What is left of the local rollback of a process after a change of the shared state; `undefined`: that has ended it. */
export function remainingLocalRollback(
  before: { readonly state: MigrationState; readonly override: MigrationState | undefined },
  next: MigrationState,
): MigrationState | undefined {
  const { state, override: local } = before;
  const isResumed = state.hold !== undefined && next.hold === undefined;
  if (local === undefined || isResumed || !isFurtherAhead(next, local)) return undefined;
  return withLocalRollback(local, next);
}
