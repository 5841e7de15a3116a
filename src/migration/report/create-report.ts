// Collects the facts of the report on a migration, and renders it.

import { readAuditLine } from '../../store/audit/audit-entry.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { MigrationEvidence } from '../evidence/evidence.ts';
import type { GateEvaluator, JudgedMigration } from '../judge/evaluate-gate.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import { type HistoryEntry, reportText } from './report-text.ts';

/**
 * Everything is read anew for each report: the gate, the evidence and its differences, and the history in the lines of
 * `audit`.
 */
export type ReportDeps = {
  readonly declared: () => readonly JudgedMigration[];
  readonly states: Pick<MigrationStateStore, 'shared'>;
  readonly evidence: Pick<MigrationEvidence, 'read' | 'differences'>;
  readonly gates: Pick<GateEvaluator, 'gate' | 'noise'>;
  readonly audit: Pick<AuditLog, 'lines'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** The entries of the audit about a resource and its operations. */
function historyOf(lines: readonly string[], resource: string): readonly HistoryEntry[] {
  return lines.flatMap((line) => {
    const entry = readAuditLine(line);
    const isWanted =
      entry?.action.startsWith('migrations.') === true && resourceOfTarget(entry.target) === resource;
    return isWanted ? [entry] : [];
  });
}

/**
 * Makes the function that writes the report of a migration. It rejects where Redis fails, or the resource does not move.
 */
export function createReport({ declared, states, evidence, gates, audit, clock }: ReportDeps) {
  return async function report(resource: string): Promise<string> {
    const config = declared().find((one) => one.resource === resource)?.config;
    const state = states.shared(resource);
    if (config === undefined || state === undefined) throw new Error(`${resource} does not move`);
    const [gate, noise, found, differences, lines] = await Promise.all([
      gates.gate(resource),
      gates.noise(resource),
      evidence.read(resource),
      evidence.differences(resource),
      audit.lines(),
    ]);
    const history = historyOf(lines, resource);
    return reportText({
      ...{ state, config, gate, noise, evidence: found },
      ...{ differences, history, now: clock.now() },
    });
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
