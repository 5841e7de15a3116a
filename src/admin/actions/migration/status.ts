// Builds the answer of `migrations.status`: the report on a migration, and what only this process knows.

import { weakGates } from '../../../config/validate/check-migrations.ts';
import { type Position, positionText } from '../../../migration/state/migration-state.ts';
import type { ActionValue } from '../../api/action-table.ts';
import type { FoundMigration, OperatedMigrations } from './find-migration.ts';

type Status = ActionValue<'migrations.status'>;

/** What an operator should know before trusting a gate. */
function notesOf(
  { sourceChangedAt }: FoundMigration['state'],
  config: FoundMigration['config'],
  found: {
    readonly breakerOpen: boolean;
    readonly served: Position | undefined;
    readonly uncompared: readonly string[];
  },
): readonly string[] {
  const { breakerOpen, served, uncompared } = found;
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

/** Reads the status of one migration. Rejects if Redis fails. */
export async function readStatus(
  { states, operatorTasks, tasks, ...migrations }: OperatedMigrations,
  { state, config }: FoundMigration,
  operation: string | undefined,
): Promise<Status> {
  const { resource } = state;
  const [report, replicas] = await Promise.all([
    operatorTasks.report(resource, operation),
    states.acknowledged(resource),
  ]);
  const breakerOpen = migrations.openBreakers().includes(resource);
  const own = states.current(resource);
  const served = own === state ? undefined : own;
  return {
    ...report,
    ...{ replicas, staleSeconds: states.staleSeconds(), task: tasks.of(resource) ?? null, breakerOpen },
    notes: notesOf(state, config, { breakerOpen, served, uncompared: migrations.uncompared(resource) }),
  };
}
