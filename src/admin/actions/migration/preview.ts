// Says whom a share of the ramp reaches, with the labels of their keys.

import type { ActionValue } from '../../api/action-table.ts';
import type { OperatedMigrations } from './find-migration.ts';

/** Whom a share reaches. Rejects if Redis fails. */
export async function previewWithLabels(
  { operatorTasks, labels }: OperatedMigrations,
  resource: string,
  percent: number,
): Promise<ActionValue<'migrations.preview'>> {
  const known = await labels();
  // Processes share their callers as digests of ids only. The ids of all keys show which digest is whose.
  const { largest, ...preview } = await operatorTasks.preview(resource, percent, [...known.keys()]);
  return {
    ...preview,
    largest: largest.map((one) => ({ ...one, label: known.get(one.caller) || undefined })),
  };
}
