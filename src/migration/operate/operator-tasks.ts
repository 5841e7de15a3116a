// The tasks that operators can run for a migration.

import type { Gate } from '../judge/gate.ts';
import type { MigrationReport } from '../report/migration-report.ts';
import type { EdgeCaseResult, Position } from '../state/migration-state.ts';
import type {
  ExplainedQuestion,
  OnDifference,
  Preview,
  RecordedQuery,
  DrillResult,
  Run,
  SourcesCheck,
  TrafficReplayResult,
  WalkResult,
} from '../tasks/task-results.ts';

/** What operators can run. `resource` must be one that the configuration declares as moving. */
export type OperatorTasks = {
  /** The gate of an operation, or of the resource, for a step to `to`, else the next one. Rejects if Redis fails. */
  gate(resource: string, operation?: string, to?: Position): Promise<Gate>;
  /** The same, with the counts behind it, as data. Rejects if Redis fails. */
  report(resource: string, operation?: string): Promise<MigrationReport>;
  check(resource: string, run: Run): Promise<SourcesCheck>;
  /** Why the legacy source does not answer now; `undefined` if it does. */
  legacyProblem(resource: string, signal: AbortSignal): Promise<string | undefined>;
  walk(resource: string, run: Run, onDifference?: OnDifference): Promise<WalkResult>;
  compareEdgeCases(resource: string, run: Run): Promise<EdgeCaseResult>;
  rehearse(resource: string, run: Run): Promise<DrillResult>;
  replay(
    resource: string,
    queries: readonly RecordedQuery[],
    rps: number,
    run: Run,
  ): Promise<TrafficReplayResult>;
  explain(resource: string, query: RecordedQuery, signal: AbortSignal): Promise<ExplainedQuestion>;
  /** The report as a document in Markdown, for those who must sign. */
  reportText(resource: string): Promise<string>;
  /** Whom a share would reach; callers with the ids `named` are told by them. Rejects if Redis fails. */
  preview(resource: string, percent: number, named?: readonly string[]): Promise<Preview>;
};
