// The interface of what operators can run for a migration; `src/gateway` implements it from the other folders of this layer.

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

/** What operators can run. The configuration must declare a migration of `resource`, else the functions reject. */
export type OperatorTasks = {
  /**
   * The gate of a step to `to` (absent: the next step) of an operation or the resource. The callers `named` are told by their
   * ids. Rejects if Redis fails.
   */
  gate(resource: string, operation?: string, to?: Position, named?: readonly string[]): Promise<Gate>;
  /** The report as data: the position, the gate, and the counts. Rejects if Redis fails. */
  report(resource: string, operation?: string): Promise<MigrationReport>;
  /** Whether both sources have the same records under the same ids. */
  check(resource: string, run: Run): Promise<SourcesCheck>;
  /** Why the legacy source does not answer now; `undefined` if it answers. */
  legacyProblem(resource: string, signal: AbortSignal): Promise<string | undefined>;
  /** Compares all records of both sources. */
  walk(resource: string, run: Run, onDifference?: OnDifference): Promise<WalkResult>;
  /** Asks both sources the questions that callers hardly ever ask, such as a page past the end. */
  compareEdgeCases(resource: string, run: Run): Promise<EdgeCaseResult>;
  /** Runs a failure drill. */
  rehearse(resource: string, run: Run): Promise<DrillResult>;
  /** Asks both sources recorded questions, `rps` per second. */
  replay(
    resource: string,
    queries: readonly RecordedQuery[],
    rps: number,
    run: Run,
  ): Promise<TrafficReplayResult>;
  /** Asks both sources one question, and returns both answers with their values. */
  explain(resource: string, query: RecordedQuery, signal: AbortSignal): Promise<ExplainedQuestion>;
  /** The report as a document in Markdown, for people who must sign it. */
  reportText(resource: string): Promise<string>;
  /** The callers that a share would reach; callers in `named` are shown by these ids. Rejects if Redis fails. */
  preview(resource: string, percent: number, named?: readonly string[]): Promise<Preview>;
};
