// Changes the state of a migration for the actions of operators, and can wait until every process of the fleet has taken it
// over.

import { setTimeout as sleep } from 'node:timers/promises';
import { forcedOver, type MigrationState, positionText } from '../../../migration/state/migration-state.ts';
import { ActionRefusal } from '../../api/action.ts';
import { type ActionContext, refuseIfRedisFails } from '../act.ts';
import { findMigration, type FoundMigration, type OperatedMigrations } from './find-migration.ts';

/** How long a command waits at most until every process has taken over a change. */
const ACK_WAIT_MS = 3_000;
const ACK_EVERY_MS = 50;
/** How often the change is tried again after somebody else has changed the state first. */
const ATTEMPTS_MAX = 5;

/** The part of a state that the audit gets: positions and names, never a value of a record. */
export function auditView({ hold, pending, rules, ...state }: MigrationState) {
  const { rev, stage, percent, operations, evidence, generation } = state;
  const held = hold === undefined ? {} : { hold: hold.reason };
  const forced = forcedOver(state);
  return {
    ...{ rev, stage, percent, operations, evidence, generation },
    ...held,
    ...(pending && { pending: `${positionText(pending.to)}, asked for by ${pending.by}` }),
    rules: rules.length,
    ...(forced.length > 0 && { forced }),
  };
}

/** Waits until every process has taken over the state, for a bounded time. */
async function untilAcknowledged({ states, clock }: OperatedMigrations, resource: string) {
  const until = clock.monotonic() + ACK_WAIT_MS;
  for (;;) {
    const replicas = await states.acknowledged(resource);
    if (replicas.stale.length === 0 || clock.monotonic() >= until) return replicas;
    await sleep(ACK_EVERY_MS);
  }
}

/**
 * Which migration to change. Without a `rev`, the change is tried again on the new state if somebody else was faster, five
 * times in all.
 */
export type ChangeRequest = {
  readonly resource: string;
  /** Only if the state still has this `rev`. */
  readonly rev?: number | undefined;
};

/**
 * Changes the state of a migration, without waiting for other processes. If somebody else changes it first, `change` is called
 * again with the new state, unless the request names a `rev`.
 * @throws ActionRefusal
 */
export async function changeState(
  migrations: OperatedMigrations,
  { resource, rev }: ChangeRequest,
  note: ActionContext['note'],
  change: (found: FoundMigration) => MigrationState | Promise<MigrationState>,
): Promise<MigrationState> {
  note({ target: resource });
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const found = findMigration(migrations, resource);
    if (rev !== undefined && rev !== found.state.rev) break;
    const next = await change(found);
    // Before the write: if a state cannot be shown, nothing is changed.
    const [before, after] = [auditView(found.state), auditView({ ...next, rev: found.state.rev + 1 })];
    const written = await refuseIfRedisFails('keys', () => migrations.states.change(found.state, next));
    if (written.kind === 'changed') {
      note({ target: resource, before, after });
      return written.state;
    }
  }
  const current = migrations.states.shared(resource)?.rev ?? 0;
  const hint = `look at portico migration status ${resource}, and repeat it with --rev ${current}`;
  throw new ActionRefusal('conflict', `somebody else has changed the migration: its rev is ${current}`, hint);
}

/** Changes the state, waits until every process has it, and returns which have. @throws ActionRefusal */
export async function changeEverywhere(
  migrations: OperatedMigrations,
  request: ChangeRequest,
  note: ActionContext['note'],
  change: (found: FoundMigration) => MigrationState | Promise<MigrationState>,
) {
  const startedMs = migrations.clock.monotonic();
  const state = await changeState(migrations, request, note, change);
  const replicas = await refuseIfRedisFails('keys', () => untilAcknowledged(migrations, request.resource));
  const { resource, rev, stage, percent } = state;
  const ms = Math.round(migrations.clock.monotonic() - startedMs);
  return { resource, rev, stage, percent, replicas, ms };
}
