// The action that starts long work in the background: create, walk, probe-edges, rehearse, replay.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import type { Run } from '../../../migration/tasks/task-results.ts';
import type { MigrationState } from '../../../migration/state/migration-state.ts';
import { walked, withFreshStart, withEdgeCases } from '../../../migration/state/transitions.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput } from '../../api/action-table.ts';
import { type ActionHandlers, auditActor } from '../act.ts';
import { changeState } from './change-state.ts';
import { findMigration, type FoundMigration, type OperatedMigrations } from './find-migration.ts';
import { createNamedDifferences, type NamedDifferences } from './named-differences.ts';

type StartInput = ActionInput<'migrations.start'>;
type Work = (run: Run) => Promise<unknown>;

const REPLAY_RPS = 5;

/** Writes the result of a task to the audit, because the request that started it has ended long before. */
type RecordEnd = (changed: { readonly before?: unknown; readonly after?: unknown }) => Promise<unknown>;

/** How often the result of long work is offered to a Redis that fails, and how long between: five minutes in all. */
const KEEP_ATTEMPTS = 150;
const KEEP_EVERY_MS = 2_000;

/** Writes the result of long work, which must not be lost with one command of Redis. */
async function untilRedisTakesIt(write: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write();
      return;
    } catch (error) {
      const isRedis = error instanceof ActionRefusal && error.problem.code === 'unavailable';
      if (!isRedis || attempt === KEEP_ATTEMPTS) throw error;
      await sleep(KEEP_EVERY_MS, undefined, { signal, ref: false });
    }
  }
}

/** @throws ActionRefusal if the migration has left `legacy` */
function refuseIfBegun({ state }: FoundMigration): void {
  // With `rev` 0, the stage comes from the file alone, as after a loss of all state. Then the sources were not checked.
  if (state.stage === 'legacy' || state.rev === 0) return;
  const hint = 'to begin its comparison counts anew: portico migration shadow, in shadow';
  throw new ActionRefusal('conflict', `the migration has begun: it is at ${state.stage}`, hint);
}

/** Makes the work of a task. @throws ActionRefusal if it cannot be started */
function compileWork(
  migrations: OperatedMigrations,
  found: FoundMigration,
  input: StartInput,
  recordEnd: RecordEnd,
  named: NamedDifferences,
): Work {
  const { operatorTasks, clock } = migrations;
  const { resource, task, queries = [], rps = REPLAY_RPS } = input;
  const { evidence } = found.state;

  /** Writes a result to the state, unless the comparison counts were reset while the task ran. */
  async function keep(
    { signal }: Run,
    change: (state: MigrationState, at: string) => MigrationState,
  ): Promise<void> {
    let changed = {};
    const note = (next: object) => (changed = next);
    const write = () =>
      changeState(migrations, { resource }, note, ({ state }) => {
        if (state.evidence !== evidence)
          throw new Error('the comparison counts began anew meanwhile: start it again');
        return change(state, new Date(clock.now()).toISOString());
      });
    await untilRedisTakesIt(write, signal);
    await recordEnd(changed);
  }

  async function compareEdgeCases(run: Run) {
    const found = await operatorTasks.compareEdgeCases(resource, run);
    await keep(run, (state, at) => withEdgeCases(state, found, at));
    const { asked: edges, different: edgesDifferent, named } = found;
    return { edges, edgesDifferent, named };
  }

  switch (task) {
    case 'create':
      refuseIfBegun(found);
      return async (run) => {
        const result = await operatorTasks.check(resource, run);
        if (result.problems.length > 0) throw new Error(result.problems.join('; '));
        await keep(run, withFreshStart);
        return result;
      };
    case 'walk':
      return async (run) => {
        const result = await operatorTasks.walk(resource, run);
        await keep(run, (state, at) => walked(state, result, at));
        // Edge cases scan both sources, and later comparisons may see these scan caches, so they run only if the gate needs them.
        return found.config.gate.edges ? { ...result, ...(await compareEdgeCases(run)) } : result;
      };
    case 'ids':
      return named.find(resource);
    case 'probe-edges':
      return compareEdgeCases;
    case 'rehearse':
      return async (run) => {
        // The judge itself keeps the result and writes it to the audit.
        const result = await operatorTasks.rehearse(resource, run);
        if (!result.tripped) throw new Error(`the judge has not tripped: ${result.reason}`);
        return result;
      };
    case 'replay':
      return (run) => operatorTasks.replay(resource, queries, rps, run);
  }
}

/** Creates the actions that start long work. */
export function createTaskActions(migrations: OperatedMigrations, audit: Pick<AuditLog, 'record'>) {
  const named = createNamedDifferences(migrations.operatorTasks);
  return {
    'migrations.ids'({ resource }, { note }) {
      note({ target: `${resource} ids` });
      const differences = named.take(findMigration(migrations, resource).state.resource);
      if (differences === undefined)
        throw new ActionRefusal(
          'not_found',
          'nothing waits here to be handed over: it is once, for ten minutes, by the process that has compared',
          `portico migration diffs ${resource} --ids compares all records again`,
        );
      note({ target: `${resource} ids`, after: { differences: differences.length } });
      return { differences: [...differences] };
    },
    'migrations.start'(input, { actor, note }) {
      const { resource, task: kind, reason } = input;
      const target = `${resource} ${kind}`;
      note({ target });
      const recordEnd: RecordEnd = (changed) =>
        audit.record({
          ...{ ...auditActor(actor), action: 'migrations.start', ...changed, target, reason },
          outcome: 'done',
        });
      const work = compileWork(migrations, findMigration(migrations, resource), input, recordEnd, named);
      const task = migrations.tasks.start(resource, { kind, by: actor.name }, work);
      if (task !== undefined) return { task };
      const running = migrations.tasks.of(resource)?.kind ?? 'other work';
      const hint = `portico migration status ${resource} says how far it is`;
      throw new ActionRefusal('conflict', `${running} runs already`, hint);
    },
  } satisfies ActionHandlers;
}
