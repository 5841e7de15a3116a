// Finds the migration that an action names, or refuses the action. All actions on migrations begin with it.

import type { Clock } from '../../../kernel/clock.ts';
import type { MigrationCounts } from '../../../migration/counts/count-comparisons.ts';
import type { MigratingResource } from '../../../migration/migrations.ts';
import type { OperatorTasks } from '../../../migration/operate/operator-tasks.ts';
import type { Tasks } from '../../../migration/operate/tasks.ts';
import type { MigrationState } from '../../../migration/state/migration-state.ts';
import type { MigrationStateStore } from '../../../migration/state/state-store.ts';
import { ActionRefusal } from '../../api/action.ts';

/** A migration of the configuration in force. */
type Declared = Pick<MigratingResource, 'declared' | 'config' | 'operations'>;

/** What the actions of operators need of the migrations of a process. */
export type OperatedMigrations = {
  /** The migrations of the configuration in force. */
  readonly migrating: () => readonly Declared[];
  readonly states: MigrationStateStore;
  readonly counts: Pick<MigrationCounts, 'differences'>;
  readonly operatorTasks: OperatorTasks;
  readonly tasks: Tasks;
  /** The resources that this process serves from the legacy source, because the new one fails. */
  readonly openBreakers: () => readonly string[];
  /** Why this process compares nothing with a source of the resource: one sentence for each reason. */
  readonly uncompared: (resource: string) => readonly string[];
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The labels of all API keys, by id. Rejects if Redis fails. */
  readonly labels: () => Promise<ReadonlyMap<string, string>>;
};

/** A migration and its state, as all processes share it. */
export type FoundMigration = Declared & { readonly state: MigrationState };

/**
 * The migration of a resource, with the state that all processes share, without the local rollback of this one. @throws
 * ActionRefusal `not_found` if the configuration in force declares none; the hint names those that it declares
 */
export function findMigration(
  { migrating, states }: Pick<OperatedMigrations, 'migrating' | 'states'>,
  resource: string,
): FoundMigration {
  const all = migrating();
  const found = all.find(({ declared }) => declared.resource === resource);
  const state = states.shared(resource);
  if (found !== undefined && state !== undefined) return { ...found, state };
  const others = all.map(({ declared }) => declared.resource).join(', ');
  throw new ActionRefusal(
    'not_found',
    `the configuration in force declares no migration of ${resource}`,
    others === ''
      ? `write resources.${resource}.migration: { to: <source> } in the gateway file, and portico reload`
      : `those that it declares: ${others}`,
  );
}

/**
 * Checks the `operation` of an input; without one, the input means the whole resource. @throws ActionRefusal `bad_input`
 * if the resource has no such operation; the hint names its operations
 */
export function refuseUnknownOperation({ operations }: Declared, operation: string | undefined): void {
  if (operation === undefined || operations.includes(operation)) return;
  const hint = `operations: ${operations.join(', ')}`;
  throw new ActionRefusal('bad_input', `there is no operation ${operation} here`, hint);
}
