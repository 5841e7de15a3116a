// The actions that take a step: stage, and approve where a step waits for a second person.

import { decideStep } from '../../../migration/operate/decide-step.ts';
import type { Gate } from '../../../migration/judge/gate.ts';
import { conditionText } from '../../../migration/judge/gate-facts.ts';
import { nextPosition } from '../../../migration/judge/next-position.ts';
import {
  forcedOver,
  type MigrationState,
  type PendingStep,
  pendingStep,
  type Position,
  positionOf,
  positionText,
} from '../../../migration/state/migration-state.ts';
import { isBeyond } from '../../../migration/state/transitions.ts';
import type { Preview } from '../../../migration/tasks/task-results.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput, ActionValue } from '../../api/action-table.ts';
import { type ActionContext, type ActionHandlers, refuseIfRedisFails } from '../act.ts';
import { changeEverywhere, type ChangeRequest } from './change-state.ts';
import { type FoundMigration, type OperatedMigrations, refuseUnknownOperation } from './find-migration.ts';
import { pendingView } from './status.ts';

/** How long the legacy source has to answer before a rollback from `complete`, its retries included. */
const LEGACY_MS = 20_000;
/** How long a step waits for an approval. */
const APPROVAL_MS = 86_400_000;

type StageInput = ActionInput<'migrations.stage'>;

/** A step that an operator asks for, or approves. */
type AskedStep = Pick<StageInput, 'operation' | 'force' | 'reason'> & {
  readonly to: Position;
  /** What a forced step may go over; absent: everything. */
  readonly over?: readonly string[];
};

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

/** The hint at a gate that is not ready: which share would reach a caller, and how to take the step nevertheless. */
function gateHint({ reach, unmet }: Gate, resource: string): string {
  const force = 'with --force and a --reason the step is taken anyway, and the audit keeps the reason';
  if (reach === undefined || unmet.every(({ id }) => id !== 'reach')) return force;
  const least =
    reach.least === null
      ? 'no share reaches a caller of the last hour'
      : `the least share that reaches a caller of the last hour: portico migration ramp ${resource} --percent ${reach.least}`;
  return `${least}; or name callers in allow; ${force}`;
}

/** Names the keys of those whom a share reaches, so that operators see names. */
export function withLabels(
  { largest, ...preview }: Preview,
  labels: ReadonlyMap<string, string>,
): ActionValue<'migrations.preview'> {
  return {
    ...preview,
    largest: largest.map((one) => ({ ...one, label: labels.get(one.caller) || undefined })),
  };
}

/** The state after a step, and whom its share reaches if it is a ramp. @throws ActionRefusal */
async function stepped(
  migrations: OperatedMigrations,
  found: FoundMigration,
  { to, operation, force = false, reason, over }: AskedStep,
): Promise<{ readonly state: MigrationState; readonly reach: ReturnType<typeof withLabels> | undefined }> {
  const { operatorTasks, clock } = migrations;
  const { resource } = found.state;
  if (force && reason === undefined)
    throw new ActionRefusal('bad_input', 'a forced step needs a reason', 'add --reason "<why>"');
  // Without labels, a step is the same step.
  const labels =
    to.stage === 'ramp' ? await migrations.labels().catch(() => new Map<string, string>()) : undefined;
  const gate = await refuseIfRedisFails('keys', () =>
    operatorTasks.gate(resource, operation, to, labels && [...labels.keys()]),
  );
  const at = new Date(clock.now()).toISOString();
  const decision = decideStep(found.state, gate, { to, operation, isForced: force, over, at });
  switch (decision.kind) {
    case 'go':
      await refuseSilentLegacy(migrations, found, operation);
      return { state: decision.state, reach: labels && gate.reach && withLabels(gate.reach, labels) };
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
export async function refuseSilentLegacy(
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

/** Creates the actions that take a step. */
export function createStageActions(migrations: OperatedMigrations) {
  const { clock } = migrations;

  /** The step as it waits for an approval; `undefined` if it needs none, because only steps forward do. */
  function pendingOf({ state, config }: FoundMigration, step: AskedStep, by: string) {
    const { to, operation, force = false, reason } = step;
    if (config.approvals === 0 || !isBeyond(to, positionOf(state, operation))) return undefined;
    const instantIn = (ms: number) => new Date(clock.now() + ms).toISOString();
    const times = { at: instantIn(0), until: instantIn(APPROVAL_MS) };
    return { to, operation, isForced: force, by, reason, ...times };
  }

  /** Takes a step, unless it waits for an approval, and says which unmet conditions it overrode and whom it reaches. */
  async function step(
    request: ChangeRequest,
    note: ActionContext['note'],
    stepOf: (
      found: FoundMigration,
    ) => AskedStep & { readonly pending?: Omit<PendingStep, 'over'> | undefined },
  ) {
    let forced: readonly string[] = [];
    let reach: Awaited<ReturnType<typeof stepped>>['reach'];
    let waiting: PendingStep | undefined;
    const changed = await changeEverywhere(migrations, request, note, async (found) => {
      const { pending, ...asked } = stepOf(found);
      const next = await stepped(migrations, found, asked);
      forced = forcedOver(next.state);
      reach = next.reach;
      waiting = pending && { ...pending, over: forced };
      return waiting === undefined ? next.state : { ...found.state, pending: waiting };
    });
    if (waiting !== undefined) return { ...changed, pending: pendingView(waiting) };
    return { ...changed, ...(forced.length > 0 && { forced }), ...(reach && { reach }) };
  }

  /** The step that waits, for an operator other than the one who has asked for it. @throws ActionRefusal */
  function approvedStep({ state }: FoundMigration, by: string): AskedStep {
    const pending = pendingStep(state, clock.now());
    if (pending === undefined)
      throw new ActionRefusal(
        'conflict',
        'no step waits for an approval',
        `an operator asks for one first, such as portico migration ramp ${state.resource}; it waits for a day`,
      );
    if (pending.by === by)
      throw new ActionRefusal(
        'forbidden',
        `${by} has asked for this step, and another operator has to approve it`,
        'ask a colleague who has a token of their own',
      );
    const { to, operation, isForced, reason, over } = pending;
    return { to, operation, force: isForced, reason, over };
  }

  return {
    'migrations.stage': (input, { actor, note }) =>
      step(input, note, (found) => {
        const { operation, force, reason } = input;
        refuseUnknownOperation(found, operation);
        const asked = { to: positionAsked(found, input), operation, force, reason };
        return { ...asked, pending: pendingOf(found, asked, actor.name) };
      }),
    'migrations.approve': (input, { actor, note }) =>
      step(input, note, (found) => approvedStep(found, actor.name)),
  } satisfies ActionHandlers;
}
