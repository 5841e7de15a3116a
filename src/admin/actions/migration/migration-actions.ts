// Puts the actions on migrations together, for the console and `portico migration`, and implements those that change
// nothing.

import type { AuditLog } from '../../../store/audit/audit-log.ts';
import { type ActionHandlers, refuseIfRedisFails } from '../act.ts';
import { findMigration, type OperatedMigrations, refuseUnknownOperation } from './find-migration.ts';
import { createRuleActions } from './rule-actions.ts';
import { createRollbackActions } from './rollback-actions.ts';
import { createStageActions, withLabels } from './stage-actions.ts';
import { readStatus } from './status.ts';
import { createTaskActions } from './task-actions.ts';

/** How long an explanation may take: both sources are asked while an operator waits. */
const EXPLAIN_MS = 4_000;

/** Creates the actions that change nothing. */
function createReadActions(migrations: OperatedMigrations) {
  const { migrating, states, counts, operatorTasks, labels } = migrations;
  return {
    migrations: () => ({
      migrations: migrating().flatMap(({ declared: { resource } }) => {
        const state = states.shared(resource);
        if (state === undefined) return [];
        const { sources, rev, stage, percent, operations } = state;
        const apart = Object.keys(operations).length > 0 && { operations };
        return [{ resource, sources, rev, stage, percent, ...apart }];
      }),
    }),
    'migrations.status'({ resource, operation }) {
      const found = findMigration(migrations, resource);
      refuseUnknownOperation(found, operation);
      return readStatus(migrations, found, operation);
    },
    'migrations.preview'({ resource, percent }) {
      findMigration(migrations, resource);
      return refuseIfRedisFails('keys', async () => {
        const known = await labels();
        // Processes share their callers as digests of ids only. The ids of all keys show which digest is whose.
        return withLabels(await operatorTasks.preview(resource, percent, [...known.keys()]), known);
      });
    },
    async 'migrations.diffs'({ resource, operation, kind }) {
      findMigration(migrations, resource);
      const all = await refuseIfRedisFails('keys', () => counts.differences(resource));
      const isWanted = (one: (typeof all)[number]) =>
        (operation ?? one.operation) === one.operation && (kind ?? one.kind) === one.kind;
      return { differences: all.filter(isWanted) };
    },
    async 'migrations.report'({ resource }) {
      findMigration(migrations, resource);
      return { markdown: await refuseIfRedisFails('keys', () => operatorTasks.reportText(resource)) };
    },
  } satisfies ActionHandlers;
}

/** Creates the actions on migrations. */
export function createMigrationActions(
  migrations: OperatedMigrations,
  audit: Pick<AuditLog, 'record'>,
): ActionHandlers {
  return {
    ...createReadActions(migrations),
    ...createStageActions(migrations),
    ...createRollbackActions(migrations),
    ...createRuleActions(migrations),
    ...createTaskActions(migrations, audit),
    async 'migrations.explain'({ resource, operation, query }, { note }) {
      // The question may name a person, so the audit has the operation alone.
      note({ target: `${resource} ${operation}` });
      refuseUnknownOperation(findMigration(migrations, resource), operation);
      const signal = AbortSignal.timeout(EXPLAIN_MS);
      return { ...(await migrations.operatorTasks.explain(resource, { operation, query }, signal)) };
    },
  };
}
