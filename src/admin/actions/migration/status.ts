import { weakGates } from '../../../config/validate/check-migrations.ts';
import type { OperationEvidence } from '../../../migration/evidence/evidence.ts';
import { gateView } from '../../../migration/judge/gate.ts';
import { positionOf } from '../../../migration/state/position.ts';
import type { ActionValue } from '../../api/action-table.ts';
import type { FoundMigration, OperatedMigrations } from './find-migration.ts';

type Status = ActionValue<'migrations.status'>;

function compareView(evidence: Readonly<Record<string, OperationEvidence>>): Status['compare'] {
  return Object.fromEntries(
    Object.entries(evidence).map(([operation, one]) => {
      const { keys, mismatchedKeys, match, mismatch, inconclusive, ignored } = one;
      const { failedNew, failedLegacy, failedBoth } = one;
      const view = { keys, match, mismatch, inconclusive, ignored, failedNew };
      return [operation, { ...view, mismatchedKeys, failedLegacy, failedBoth }];
    }),
  );
}

/** Counts by cause, over all operations. */
function fallbackView(evidence: Readonly<Record<string, OperationEvidence>>): Status['fallback'] {
  const sums = new Map<string, number>();
  for (const { fallback } of Object.values(evidence))
    for (const [cause, count] of Object.entries(fallback)) sums.set(cause, (sums.get(cause) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** Everything about one migration. Rejects where Redis fails. */
export async function readStatus(
  { states, evidence, operatorTasks, tasks }: OperatedMigrations,
  { state, config }: FoundMigration,
  operation: string | undefined,
): Promise<Status> {
  const { resource, sources, rev, since, evidenceSince, generation } = state;
  const [gate, found, replicas] = await Promise.all([
    operatorTasks.gate(resource, operation),
    evidence.read(resource),
    states.acknowledged(resource),
  ]);
  const { stage, percent } = positionOf(state, operation);
  return {
    ...{ resource, sources, rev, stage, percent, operations: state.operations },
    hold: state.hold ?? null,
    ...{ since, evidenceSince, generation, replicas, staleSeconds: states.staleSeconds() },
    gate: gateView(gate),
    compare: compareView(found),
    fallback: fallbackView(found),
    lastRollback: state.lastRollback,
    rehearsedAt: state.rehearsedAt ?? null,
    walk: state.walk ?? null,
    ...{ rules: state.rules, acknowledged: state.acknowledged },
    task: tasks.of(resource) ?? null,
    notes: [weakGates(config) ?? []].flat(),
  };
}
