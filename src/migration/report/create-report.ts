// Makes the report on a migration, as data and as a document.

import { type AuditEntry, readAuditLine } from '../../store/audit/audit-entry.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { MigrationCounts } from '../counts/migration-counts.ts';
import type { GateEvaluator } from '../judge/evaluate-gate.ts';
import { migrationReport } from './migration-report.ts';
import { reportText } from './report-text.ts';

/** Everything is read anew for each report; `audit` has the history. */
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

/** Makes the functions that report on a migration. They reject if Redis fails, or the resource does not move. */
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
 * The resource that a target of the audit is about: `users`, its operation `users.get`, or what was done with it, such as
 * `users walk`. The history in the console reads targets by the same rule.
 * @internal
 */
export function resourceOfTarget(target: string): string {
  return target.split(/[\s./]/, 1)[0] ?? '';
}
