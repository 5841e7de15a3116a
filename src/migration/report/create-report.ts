// Reads everything for the report on a migration (`portico migration report`), and makes it as data or as a document.

import { type AuditEntry, readAuditLine } from '../../store/audit/audit-entry.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { MigrationCounts } from '../counts/count-comparisons.ts';
import type { GateEvaluator } from '../judge/evaluate-gate.ts';
import { migrationReport } from './migration-report.ts';
import { reportText } from './report-text.ts';

/** What a report is read from; each report reads everything anew. `audit` has the history. */
export type ReportDeps = {
  readonly gates: Pick<GateEvaluator, 'facts'>;
  readonly counts: Pick<MigrationCounts, 'differences'>;
  readonly audit: Pick<AuditLog, 'lines'>;
};

/** The entries of the audit about a resource and its operations. */
function historyOf(lines: readonly string[], resource: string): readonly AuditEntry[] {
  const isWanted = ({ action, target }: AuditEntry) =>
    action.startsWith('migrations.') && resourceOfTarget(target) === resource;
  return lines.flatMap((line) => readAuditLine(line) ?? []).filter(isWanted);
}

/** Creates the functions that report on a migration. They reject if Redis fails, or if no migration of the resource is declared. */
export function createReport({ gates, counts, audit }: ReportDeps) {
  return {
    report: async (resource: string, operation?: string) =>
      migrationReport(await gates.facts(resource, operation)),
    async reportText(resource: string) {
      const [facts, differences, lines] = await Promise.all([
        gates.facts(resource),
        counts.differences(resource),
        audit.lines(),
      ]);
      const history = historyOf(lines, resource);
      const { config, now } = facts;
      return reportText({ ...migrationReport(facts), config, differences, history, now });
    },
  };
}

/**
 * The resource in a target of the audit, which is a resource (`users`), an operation (`users.get`), or a resource with a task
 * (`users walk`). The history in the console reads targets by the same rule.
 * @internal
 */
export function resourceOfTarget(target: string): string {
  return target.split(/[\s./]/, 1)[0] ?? '';
}
