// Says in words where a migration is and what its comparisons have found, for the views of a migration.

import type { DifferenceList, MigrationStatus } from '../../../api/migration-schemas.ts';

type ValueShape = DifferenceList['differences'][number]['samples'][number]['new'];

/** The stages of a migration, in their order. */
export const migrationStages: readonly MigrationStatus['stage'][] = [
  'legacy',
  'shadow',
  'ramp',
  'live',
  'complete',
];

/** Why the legacy source answered instead of the new one, in words. */
export const fallbackWords: Readonly<Record<string, string>> = {
  connect: 'not reached',
  failed: 'failed (5xx, or may not be asked)',
  timeout: 'late',
  invalid: 'no v1 record (schema)',
  missing: 'no such record (404)',
  odd: 'odd',
};

/** The position of a migration, in words. */
export function stageText({ stage, percent }: Pick<MigrationStatus, 'stage' | 'percent'>): string {
  return stage === 'ramp' ? `ramp ${percent} %` : stage;
}

/** A task of a migration and its progress, in words. */
export function workText({
  kind,
  by,
  phase = 'runs',
  done,
  of,
  outcome,
}: NonNullable<MigrationStatus['task']>): string {
  const who = `${kind} by ${by}`;
  if (outcome.kind === 'running') return `${who} ${phase}: ${done}${of === undefined ? '' : ` of ${of}`}`;
  return outcome.kind === 'done' ? `${who} is done` : `${who} failed: ${outcome.problem}`;
}

/** The position that a gate names, such as `ramp:25`, as the action takes it. */
export function readPosition(
  text: string,
): { readonly stage: MigrationStatus['stage']; readonly percent?: number } | undefined {
  const [, name, share] = /^([a-z]+)(?::([\d.]+))?$/.exec(text.trim()) ?? [];
  const stage = migrationStages.find((one) => one === name);
  if (stage === undefined) return undefined;
  return share === undefined ? { stage } : { stage, percent: Number(share) };
}

/** The shape of a value in words. */
export function sampleText(shape: ValueShape): string {
  if (shape === undefined) return 'absent';
  const length = shape.length === undefined ? '' : `, length ${shape.length}`;
  return `${shape.type}${length}${shape.mask === undefined ? '' : `, ${shape.mask}`}`;
}

/**
 * The resource that a target of the audit is about: `users`, its operation `users.get`, or what was done with it, such as
 * `users walk`. The report of a migration reads targets by the same rule.
 */
export function resourceOfAuditTarget(target: string): string {
  return target.split(/[\s./]/, 1)[0] ?? '';
}
