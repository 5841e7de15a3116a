// Adds the labels of keys to the answer that says which callers a share of the ramp reaches, so that operators see names.

import type { Preview } from '../../../migration/tasks/task-results.ts';
import type { ActionValue } from '../../api/action-table.ts';
import type { OperatedMigrations } from './find-migration.ts';

/** Names the keys of those whom a share reaches. */
export function withLabels(
  { largest, ...preview }: Preview,
  labels: ReadonlyMap<string, string>,
): ActionValue<'migrations.preview'> {
  return {
    ...preview,
    largest: largest.map((one) => ({ ...one, label: labels.get(one.caller) || undefined })),
  };
}

/** Whom a share reaches. Rejects if Redis fails. */
export async function previewWithLabels(
  { operatorTasks, labels }: OperatedMigrations,
  resource: string,
  percent: number,
): Promise<ActionValue<'migrations.preview'>> {
  const known = await labels();
  // Processes share their callers as digests of ids only. The ids of all keys show which digest is whose.
  return withLabels(await operatorTasks.preview(resource, percent, [...known.keys()]), known);
}
