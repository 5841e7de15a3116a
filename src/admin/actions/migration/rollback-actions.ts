// The actions that take a migration back, hold it and let it go on: rollback, hold, resume.

import {
  type MigrationState,
  type PendingStep,
  pendingStep,
  positionOf,
} from '../../../migration/state/migration-state.ts';
import { held, resumed, rolledBack } from '../../../migration/state/transitions.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput } from '../../api/action-table.ts';
import type { ActionContext, ActionHandlers } from '../act.ts';
import { auditView, changeEverywhere, type ChangeRequest } from './change-state.ts';
import {
  findMigration,
  type FoundMigration,
  type OperatedMigrations,
  refuseUnknownOperation,
} from './find-migration.ts';
import { refuseSilentLegacy } from './stage-actions.ts';
import { pendingView } from './status.ts';

/** A second rollback within this time is probably for the same fault: two people saw it, or a person and the judge. */
const SECOND_ROLLBACK_MS = 60_000;

/** @throws ActionRefusal if there is nothing to roll back, or if it needs `force` */
function refuseRollback({ state }: FoundMigration, input: ActionInput<'migrations.rollback'>, now: number) {
  const { stage } = positionOf(state, input.operation);
  const { lastRollback } = state;
  if (stage === 'legacy')
    throw new ActionRefusal('conflict', 'it is at legacy already', 'there is nothing to roll back');
  const isSecond = lastRollback !== null && now - Date.parse(lastRollback.at) < SECOND_ROLLBACK_MS;
  if (stage === 'shadow' && isSecond && lastRollback.from.stage !== 'shadow' && input.force !== true)
    throw new ActionRefusal(
      'conflict',
      `${lastRollback.by} has rolled it back at ${lastRollback.at}: it is at shadow, and the legacy source serves all callers`,
      'to end the shadow, too, wait a minute or add --force',
    );
  if (stage === 'complete' && input.force !== true)
    throw new ActionRefusal(
      'conflict',
      'the migration is complete: the legacy service may be switched off',
      'if it still answers, --force rolls back',
    );
}

/** Notes a change of this process alone, and returns what the action answers. */
function changedHere(note: ActionContext['note'], before: MigrationState, after: MigrationState) {
  const { resource, rev, stage, percent } = after;
  note({ target: resource, before: auditView(before), after: { ...auditView(after), scope: 'local' } });
  return { resource, rev, stage, percent, replicas: { total: 1, atRev: 1, stale: [] }, ms: 0 };
}

/** The error of a rollback that could not be written to Redis, with a hint at what can be done at once. */
function withLocalHint(error: unknown, resource: string): unknown {
  if (!(error instanceof ActionRefusal) || error.problem.code !== 'unavailable') return error;
  const hint = `portico migration rollback ${resource} --local goes back in one gateway at once, without Redis: do it at each; repeat it for all once Redis is back`;
  return new ActionRefusal('unavailable', error.problem.reason, hint);
}

/** Creates the actions that take a migration back, hold it and let it go on. */
export function createRollbackActions(migrations: OperatedMigrations) {
  const { states, clock } = migrations;
  const now = () => new Date(clock.now()).toISOString();

  /** Changes the shared state. That cancels a step that waits for an approval; the answer names that step. */
  async function changeAndCancelPending(
    request: ChangeRequest,
    note: ActionContext['note'],
    change: (found: FoundMigration) => MigrationState | Promise<MigrationState>,
  ) {
    let ended: PendingStep | undefined;
    const changed = await changeEverywhere(migrations, request, note, (found) => {
      ended = pendingStep(found.state, clock.now());
      return change(found);
    });
    return { ...changed, ...(ended && { ended: pendingView(ended) }) };
  }

  async function rollback(found: FoundMigration, input: ActionInput<'migrations.rollback'>, by: string) {
    refuseUnknownOperation(found, input.operation);
    refuseRollback(found, input, clock.now());
    await refuseSilentLegacy(migrations, found, input.operation);
    const grounds = {
      by,
      at: now(),
      rule: 'asked',
      evidence: input.reason ?? 'no reason was given',
    } as const;
    return rolledBack(found.state, grounds, input.operation);
  }

  /** Rolls back in this process alone, because Redis may not be reachable. */
  async function rollbackHere(input: ActionInput<'migrations.rollback'>, { actor, note }: ActionContext) {
    note({ target: input.resource });
    const found = findMigration(migrations, input.resource);
    const state = states.current(input.resource) ?? found.state;
    const next = await rollback({ ...found, state }, input, actor.name);
    states.rollBackHere(next);
    return changedHere(note, state, next);
  }

  /** Ends a rollback of this process alone; `undefined` if the state of the fleet has to be resumed instead. */
  function resumeHere({ resource }: ActionInput<'migrations.resume'>, { note }: ActionContext) {
    const [own, shared] = [states.current(resource), states.shared(resource)];
    if (own === undefined || shared === undefined || own === shared || shared.hold !== undefined) return;
    states.endLocalRollback(resource);
    return changedHere(note, own, shared);
  }

  return {
    'migrations.rollback': (input, context) =>
      input.scope === 'local'
        ? rollbackHere(input, context)
        : changeAndCancelPending({ resource: input.resource }, context.note, (found) =>
            rollback(found, input, context.actor.name),
          ).catch((error: unknown) => {
            throw withLocalHint(error, input.resource);
          }),
    'migrations.hold': (input, { actor, note }) =>
      changeAndCancelPending(input, note, ({ state }) =>
        held(state, { by: actor.name, at: now() }, input.reason),
      ),
    'migrations.resume': (input, context) =>
      resumeHere(input, context) ??
      changeEverywhere(migrations, input, context.note, ({ state }) => {
        if (state.hold !== undefined) return resumed(state);
        throw new ActionRefusal('conflict', 'the migration is not on hold', 'there is nothing to resume');
      }),
  } satisfies ActionHandlers;
}
