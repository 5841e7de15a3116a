// The actions that change the position of a migration: stage, rollback, hold, resume.

import { decideStep } from '../../../migration/operate/decide-step.ts';
import type { Gate } from '../../../migration/judge/gate.ts';
import { conditionText } from '../../../migration/judge/gate-facts.ts';
import { nextPosition } from '../../../migration/judge/next-position.ts';
import {
  forcedOver,
  type MigrationState,
  type Position,
  positionOf,
  positionText,
} from '../../../migration/state/migration-state.ts';
import { held, resumed, rolledBack } from '../../../migration/state/transitions.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput } from '../../api/action-table.ts';
import { type ActionContext, type ActionHandlers, refuseIfRedisFails } from '../act.ts';
import { auditView, changeEverywhere } from './change-state.ts';
import { previewWithLabels } from './preview.ts';
import {
  findMigration,
  type FoundMigration,
  type OperatedMigrations,
  refuseUnknownOperation,
} from './find-migration.ts';

/** How long the legacy source has to answer before a rollback from `complete`, its retries included. */
const LEGACY_MS = 20_000;
/** A rollback so soon after another one is probably for the same fault: two people, or a person and the judge. */
const SECOND_ROLLBACK_MS = 60_000;

type StageInput = ActionInput<'migrations.stage'>;

/** The requested position. A ramp without a percentage gets that of the next step. @throws ActionRefusal */
function positionAsked(
  { config, state }: FoundMigration,
  { stage, percent, operation }: StageInput,
): Position {
  if (stage !== 'ramp') {
    if (percent === undefined) return { stage, percent: 0 };
    throw new ActionRefusal('bad_input', `${stage} has no percentage`, 'only a ramp has --percent');
  }
  if (percent !== undefined) return { stage, percent };
  const next = nextPosition(config, state, operation);
  if (next?.stage === 'ramp') return next;
  const from = positionText(positionOf(state, operation));
  throw new ActionRefusal(
    'conflict',
    `at ${from} the next step is ${next === undefined ? 'none' : positionText(next)}, which is no ramp`,
    'name a percentage with --percent',
  );
}

/** The hint at a gate that is not ready: how to reach somebody, and how to go on all the same. */
function gateHint({ reach, unmet }: Gate, resource: string): string {
  const force = '--force with a --reason goes on all the same; the audit keeps it';
  if (reach === undefined || unmet.every(({ id }) => id !== 'reach')) return force;
  const least =
    reach.least === null
      ? 'no share reaches a caller of the last hour'
      : `the least share that reaches a caller of the last hour: portico migration ramp ${resource} --percent ${reach.least}`;
  return `${least}; or name callers in allow; ${force}`;
}

/** The state after a step. @throws ActionRefusal */
async function stepped(
  migrations: OperatedMigrations,
  found: FoundMigration,
  input: StageInput,
  to: Position,
): Promise<MigrationState> {
  const { operatorTasks, clock } = migrations;
  const { resource, operation, force = false, reason } = input;
  if (force && reason === undefined)
    throw new ActionRefusal('bad_input', 'a forced step needs a reason', 'add --reason "<why>"');
  const gate = await refuseIfRedisFails('keys', () => operatorTasks.gate(resource, operation, to));
  const at = new Date(clock.now()).toISOString();
  const decision = decideStep(found.state, gate, { to, operation, isForced: force, at });
  switch (decision.kind) {
    case 'go':
      await refuseSilentLegacy(migrations, found, operation);
      return decision.state;
    case 'refused':
      throw new ActionRefusal('conflict', decision.reason, decision.hint);
    case 'gate': {
      const missing = decision.unmet.map(conditionText);
      throw new ActionRefusal(
        'gate',
        `the gate is not ready: ${missing.join('; ')}`,
        gateHint(gate, resource),
        decision.unmet,
      );
    }
  }
}

/**
 * Before callers go back from `complete`, checks that the legacy source answers. If it is switched off, every caller would
 * get an error. @throws ActionRefusal
 */
async function refuseSilentLegacy(
  { operatorTasks }: OperatedMigrations,
  { state }: FoundMigration,
  operation: string | undefined,
): Promise<void> {
  if (positionOf(state, operation).stage !== 'complete') return;
  const problem = await operatorTasks.legacyProblem(state.resource, AbortSignal.timeout(LEGACY_MS));
  if (problem === undefined) return;
  const hint =
    'nothing was changed: each caller would get an error; start the legacy service, then roll back';
  throw new ActionRefusal('conflict', problem, hint);
}

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

/** A rollback that Redis did not take, with what can be done at once. */
function withLocalHint(error: unknown, resource: string): unknown {
  if (!(error instanceof ActionRefusal) || error.problem.code !== 'unavailable') return error;
  const hint = `portico migration rollback ${resource} --local goes back in one gateway at once, without Redis: do it at each; repeat it for all once Redis is back`;
  return new ActionRefusal('unavailable', error.problem.reason, hint);
}

/** Creates the actions that move a migration. */
export function createStepActions(migrations: OperatedMigrations) {
  const { states, clock } = migrations;
  const now = () => new Date(clock.now()).toISOString();

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
    async 'migrations.stage'(input, { note }) {
      let forced: readonly string[] = [];
      let percent = 0;
      const changed = await changeEverywhere(migrations, input, note, async (found) => {
        refuseUnknownOperation(found, input.operation);
        const to = positionAsked(found, input);
        const next = await stepped(migrations, found, input, to);
        percent = to.percent;
        forced = forcedOver(next);
        return next;
      });
      // The step is taken, so no failure of Redis may make it look as if it were not.
      const reach =
        percent === 0
          ? undefined
          : await previewWithLabels(migrations, input.resource, percent).catch(() => undefined);
      return { ...changed, ...(forced.length > 0 && { forced }), ...(reach && { reach }) };
    },
    'migrations.rollback': (input, context) =>
      input.scope === 'local'
        ? rollbackHere(input, context)
        : changeEverywhere(migrations, { resource: input.resource }, context.note, (found) =>
            rollback(found, input, context.actor.name),
          ).catch((error: unknown) => {
            throw withLocalHint(error, input.resource);
          }),
    'migrations.hold': (input, { actor, note }) =>
      changeEverywhere(migrations, input, note, ({ state }) =>
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
