// Judges the operations of a resource, and reports operations with too many transient differences (there once, and then gone).

import type { Logger } from 'pino';
import { NO_COUNTS, type OperationCounts } from '../counts/counts-store.ts';
import { type MigrationState, positionOf, positionText } from '../state/migration-state.ts';
import type { Webhooks } from '../../telemetry/webhooks/webhooks.ts';
import type { ResourceMemory } from './judge-memory.ts';
import type { JudgedMigration } from './evaluate-gate.ts';
import { judgeOperation, newMemory, type OperationMemory, type JudgeDecision } from './rollback-rules.ts';
import { judgeTransients, nextNoise, type NoiseMemory } from './transient-rules.ts';

/** What the judge has decided about one operation, and what it will remember about the operation. */
export type Judged = {
  readonly operation: string;
  readonly memory: OperationMemory;
  readonly noise: NoiseMemory;
  readonly decision: JudgeDecision;
};

/** Judges each operation of a resource by its counts since the last round. */
export function judgeOperations(
  { operations, config }: JudgedMigration,
  known: Pick<ResourceMemory, 'operations' | 'noise'>,
  counts: Readonly<Record<string, OperationCounts>>,
  now: number,
): readonly Judged[] {
  return operations.map((operation): Judged => {
    const found = counts[operation] ?? NO_COUNTS;
    const before = known.operations[operation];
    const { memory, decision } = judgeOperation(before ?? newMemory(now), found, now);
    const noise = nextNoise(known.noise?.[operation], found, now);
    const transient = judgeTransients(before?.transient, found, { config, noise });
    const { exceeded } = transient;
    return {
      ...{ operation, memory: { ...memory, transient }, noise },
      decision:
        exceeded === undefined || decision.kind === 'roll_back'
          ? decision
          : { kind: 'roll_back', rule: 'transient', reason: exceeded },
    };
  });
}

/** Where operations with too many transient differences are reported. */
type ReportTransientsDeps = {
  readonly webhooks: Pick<Webhooks, 'tell'>;
  readonly metrics: { migrationTransient(resource: string, operation: string, isExceeded: boolean): void };
  readonly log: Pick<Logger, 'warn'>;
};

/** Creates the function that reports once when an operation begins to have too many transient differences. */
export function createReportTransients({ webhooks, metrics, log }: ReportTransientsDeps) {
  return function reportTransients(
    { resource }: JudgedMigration,
    state: MigrationState,
    judged: readonly Judged[],
    before: ResourceMemory['operations'],
  ): void {
    for (const { operation, memory } of judged) {
      const reason = memory.transient?.exceeded;
      metrics.migrationTransient(resource, operation, reason !== undefined);
      if (reason === undefined || before[operation]?.transient?.exceeded !== undefined) continue;
      log.warn(
        { resource, operation, reason },
        'the new source gives answers that differ once, more often than writes explain',
      );
      const data = {
        resource,
        operation,
        position: positionText(positionOf(state, operation)),
        rev: state.rev,
        reason,
      };
      webhooks.tell({ type: 'migration.transient', subject: `migration:${resource}`, data });
    }
  };
}
