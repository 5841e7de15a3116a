// Builds the answer of `migrations.status`: the report on a migration, and what only this process knows.

import { weakGates } from '../../../config/validate/check-migrations.ts';
import { nextPosition } from '../../../migration/judge/next-position.ts';
import { migrationReport } from '../../../migration/report/migration-report.ts';
import {
  type PendingStep,
  pendingStep,
  type Position,
  positionText,
} from '../../../migration/state/migration-state.ts';
import type { ActionValue } from '../../api/action-table.ts';
import type { FoundMigration, OperatedMigrations } from './find-migration.ts';

type Status = ActionValue<'migrations.status'>;

/** A step that waits for an approval, with its position as text. */
export function pendingView({ to, ...pending }: PendingStep) {
  return { ...pending, to: positionText(to) };
}

/** What an operator should know before trusting a gate. */
function notesOf(
  { state: { sourceChangedAt }, config }: FoundMigration,
  breakerOpen: boolean,
  served: Position | undefined,
  uncompared: readonly string[],
): readonly string[] {
  return [
    ...(served === undefined
      ? []
      : [
          `the process that answers was rolled back alone: it serves by ${positionText(served)} until resume`,
        ]),
    ...(breakerOpen
      ? ['the new source fails in the process that answers: it serves from the legacy one for half a minute']
      : []),
    ...uncompared.map((reason) => `${reason} (in the process that answers)`),
    ...(sourceChangedAt === undefined
      ? []
      : [`the file of a source has changed at ${sourceChangedAt}: the comparison counts began anew`]),
    ...[weakGates(config) ?? []].flat(),
  ];
}

/** What Redis has of a migration: the counts, the gate, and which processes have its state. Rejects if Redis fails. */
async function readShared(
  { states, operatorTasks }: OperatedMigrations,
  { state: { resource } }: FoundMigration,
  operation: string | undefined,
) {
  const [report, replicas] = await Promise.all([
    operatorTasks.report(resource, operation),
    states.acknowledged(resource),
  ]);
  return { ...report, replicas, scope: 'fleet' } as const;
}

/** What this process has of a migration without Redis: its state, and no counts. */
function knownHere(
  { clock }: OperatedMigrations,
  { state, config, operations }: FoundMigration,
  operation: string | undefined,
) {
  const unmet = [{ id: 'redis', have: 'no answer', need: 'its counts' }];
  const gate = { next: nextPosition(config, state, operation), ready: false, unmet, met: [] };
  const facts = { config, state, operation, operations, freshMs: 0, now: clock.now() };
  const report = migrationReport({ ...facts, counts: {}, cusum: {}, noise: {} }, gate);
  return { ...report, replicas: { total: 1, atRev: 1, stale: [] }, scope: 'process' } as const;
}

/** Reads the status of one migration. While Redis fails, it has only what this process knows. */
export async function readStatus(
  all: OperatedMigrations,
  found: FoundMigration,
  operation: string | undefined,
): Promise<Status> {
  const { states, tasks, ...migrations } = all;
  const { state } = found;
  const { resource } = state;
  const known = await readShared(all, found, operation).catch(() => knownHere(all, found, operation));
  const breakerOpen = migrations.openBreakers().includes(resource);
  const own = states.current(resource);
  const served = own === state ? undefined : own;
  const pending = pendingStep(state, all.clock.now());
  return {
    ...known,
    pending: pending === undefined ? null : pendingView(pending),
    ...{ staleSeconds: states.staleSeconds(), task: tasks.of(resource) ?? null, breakerOpen },
    notes: notesOf(found, breakerOpen, served, migrations.uncompared(resource)),
  };
}
