// The actions on the long work of a migration. `migrations.start` begins a task in the background and answers at once;
// `migrations.ids` hands over what the task `ids` has found. src/migration/operate/tasks.ts runs the tasks.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import type { Run } from '../../../migration/tasks/task-results.ts';
import { hasBegun, type MigrationState } from '../../../migration/state/migration-state.ts';
import { begun, walked } from '../../../migration/state/transitions.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput } from '../../api/action-table.ts';
import { type ActionHandlers, auditActor } from '../act.ts';
import { changeState } from './change-state.ts';
import { findMigration, type FoundMigration, type OperatedMigrations } from './find-migration.ts';
import { createNamedDifferences, type NamedDifferences } from './named-differences.ts';

type StartInput = ActionInput<'migrations.start'>;
/** What a task does; its result is shown to every viewer. */
type Work = (run: Run) => Promise<unknown>;

/** Questions per second of a replay, if the operator names no number. */
const REPLAY_RPS = 5;

/** Writes to the audit what a task has changed, once it has ended. */
type WriteAudit = (changed: { readonly before?: unknown; readonly after?: unknown }) => Promise<unknown>;

/** A result is written again and again while Redis fails, for five minutes: long work must not be lost with one command. */
const WRITE_ATTEMPTS_MAX = 150;
const WRITE_EVERY_MS = 2_000;

async function writeWithRetries(write: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write();
      return;
    } catch (error) {
      const isRedis = error instanceof ActionRefusal && error.problem.code === 'unavailable';
      if (!isRedis || attempt === WRITE_ATTEMPTS_MAX) throw error;
      await sleep(WRITE_EVERY_MS, undefined, { signal, ref: false });
    }
  }
}

/** @throws ActionRefusal if the migration has left `legacy` */
function refuseIfBegun({ state }: FoundMigration): void {
  // The stage may come from the file alone, as after a loss of all state. Then the sources were not checked.
  if (state.stage === 'legacy' || !hasBegun(state)) return;
  const hint = 'to begin its comparison counts anew: portico migration shadow, in shadow';
  throw new ActionRefusal('conflict', `the migration has begun: it is at ${state.stage}`, hint);
}

/** The work of the task that `input` names. @throws ActionRefusal if it cannot be started */
function compileWork(
  migrations: OperatedMigrations,
  migration: FoundMigration,
  input: StartInput,
  writeAudit: WriteAudit,
  differences: NamedDifferences,
): Work {
  const { operatorTasks, clock } = migrations;
  const { resource, task, queries = [], rps = REPLAY_RPS } = input;
  const { evidence } = migration.state;

  /** Writes a result to the migration's state, unless the comparison counts began anew (`evidence`) while the task ran. */
  async function keepResult(
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
    await writeWithRetries(write, signal);
    await writeAudit(changed);
  }

  async function compareEdgeCases(run: Run) {
    const found = await operatorTasks.compareEdgeCases(resource, run);
    await keepResult(run, (state, at) => ({ ...state, edges: { ...found, at } }));
    const { asked: edges, different: edgesDifferent, named } = found;
    return { edges, edgesDifferent, named };
  }

  switch (task) {
    case 'create':
      refuseIfBegun(migration);
      return async (run) => {
        const result = await operatorTasks.check(resource, run);
        if (result.problems.length > 0) throw new Error(result.problems.join('; '));
        await keepResult(run, begun);
        return result;
      };
    case 'walk':
      return async (run) => {
        const result = await operatorTasks.walk(resource, run);
        await keepResult(run, (state, at) => walked(state, result, at));
        // Edge cases scan both sources, and later comparisons may see these scan caches, so they run only if the gate needs them.
        return migration.config.gate.edges ? { ...result, ...(await compareEdgeCases(run)) } : result;
      };
    case 'ids':
      return differences.find(resource);
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

/** Creates the handlers of both actions. */
export function createTaskActions(migrations: OperatedMigrations, audit: Pick<AuditLog, 'record'>) {
  const kept = createNamedDifferences(migrations.operatorTasks);
  return {
    'migrations.ids'({ resource }, { note }) {
      note({ target: `${resource} ids` });
      const differences = kept.take(findMigration(migrations, resource).state.resource);
      if (differences === undefined)
        throw new ActionRefusal(
          'not_found',
          'this process has no ids: only the process that compared the records has them, once and for ten minutes',
          `portico migration diffs ${resource} --ids compares all records again`,
        );
      note({ target: `${resource} ids`, after: { differences: differences.length } });
      return { differences: [...differences] };
    },
    'migrations.start'(input, { actor, note }) {
      const { resource, task: kind, reason } = input;
      const target = `${resource} ${kind}`;
      note({ target });
      const head = { ...auditActor(actor), action: 'migrations.start', target, reason };
      const writeAudit: WriteAudit = (changed) => audit.record({ ...changed, ...head, outcome: 'done' });
      const work = compileWork(migrations, findMigration(migrations, resource), input, writeAudit, kept);
      const task = migrations.tasks.start(resource, { kind, by: actor.name }, work);
      if (task !== undefined) return { task };
      const running = migrations.tasks.of(resource)?.kind ?? 'other work';
      const hint = `portico migration status ${resource} says how far it is`;
      throw new ActionRefusal('conflict', `${running} runs already`, hint);
    },
  } satisfies ActionHandlers;
}
