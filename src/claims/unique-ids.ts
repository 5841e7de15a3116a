import type { EvidenceRow } from './claim.ts';

/** Whether two rows have the same id. */
export function hasDuplicates(rows: readonly EvidenceRow[]): boolean {
  return new Set(rows.map(({ id }) => id)).size !== rows.length;
}
