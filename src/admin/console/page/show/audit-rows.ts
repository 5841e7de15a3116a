// Reads the lines of the audit for the view of the audit and the history of a migration.

import type { AuditAnswer } from '../../../api/audit-action-specs.ts';

/** A line of the audit, once it is parsed. */
export type AuditRow = {
  readonly number: number;
  readonly at: string;
  readonly actor: string;
  readonly role?: string;
  readonly address?: string;
  readonly action: string;
  readonly target: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
  readonly outcome?: string;
  readonly gateway: string;
};

/** The lines as rows, the newest first; a line that cannot be read is left out. */
export function auditRows({ lines }: Pick<AuditAnswer, 'lines'>): readonly AuditRow[] {
  return lines
    .flatMap((line): AuditRow[] => {
      try {
        return [JSON.parse(line) as AuditRow];
      } catch {
        return [];
      }
    })
    .reverse();
}
