// Builds the answer of `migrations.status`: position, gate, comparisons and fallbacks of one migration.

import { weakGates } from '../../../config/validate/check-migrations.ts';
import type { OperationEvidence } from '../../../migration/evidence/evidence.ts';
import { latencyQuantile } from '../../../migration/evidence/latency.ts';
import { gateView } from '../../../migration/judge/gate.ts';
import { upperBound } from '../../../migration/statistics/mismatch-bound.ts';
import { type NoiseMemory, transientRates } from '../../../migration/judge/transient-rules.ts';
import { type Position, positionOf, positionText } from '../../../migration/state/migration-state.ts';
import type { ActionValue } from '../../api/action-table.ts';
import type { FoundMigration, OperatedMigrations } from './find-migration.ts';

type Status = ActionValue<'migrations.status'>;

const rounded = (value: number) => Number(value.toPrecision(3));

/** What the judge knows of each operation. */
type JudgedFacts = {
  readonly cusum: Readonly<Record<string, number>>;
  readonly noise: Readonly<Record<string, NoiseMemory>>;
};

function compareView(
  evidence: Readonly<Record<string, OperationEvidence>>,
  { cusum, noise }: JudgedFacts,
  config: FoundMigration['config'],
): Status['compare'] {
  return Object.fromEntries(
    Object.entries(evidence).map(([operation, one]) => {
      const { keys, mismatchedKeys, match, mismatch, inconclusive, ignored, transient, given } = one;
      const { failedNew, failedLegacy, failedBoth, odd } = one;
      const view = { keys, match, mismatch, inconclusive, ignored, failedNew, odd, transient, given };
      const rates = transientRates(one, one, { config, noise: noise[operation] });
      const once = rates.map(({ field, isAtOnce, isMeasured, ...rate }) => ({
        ...{ field, isAtOnce, isMeasured, share: rounded(rate.share), noise: rounded(rate.noise) },
      }));
      const judged = {
        bound95: rounded(upperBound(keys, mismatchedKeys)),
        cusum: rounded(cusum[operation] ?? 0),
        lagP99Ms: latencyQuantile(one.lagMs, 0.99) ?? null,
      };
      return [operation, { ...view, mismatchedKeys, failedLegacy, failedBoth, ...judged, once }];
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

/** What an operator should know before he trusts a gate. */
function notesOf(
  { sourceChangedAt }: FoundMigration['state'],
  config: FoundMigration['config'],
  found: {
    readonly breakerOpen: boolean;
    readonly served: Position | undefined;
    readonly uncompared: readonly string[];
  },
): readonly string[] {
  const { breakerOpen, served, uncompared } = found;
  return [
    ...(served === undefined
      ? []
      : [
          `the process that answers was rolled back alone: it serves by ${positionText(served)} until resume`,
        ]),
    ...(breakerOpen
      ? ['the new source fails in the process that answers: it serves from the legacy one for half a minute']
      : []),
    ...uncompared.map((reason) => `${reason} (in the process that answers)`),
    ...(sourceChangedAt === undefined
      ? []
      : [`the file of a source has changed at ${sourceChangedAt}: the evidence began anew`]),
    ...[weakGates(config) ?? []].flat(),
  ];
}

/** Everything about one migration. Rejects where Redis fails. */
export async function readStatus(
  { states, evidence, operatorTasks, tasks, ...migrations }: OperatedMigrations,
  { state, config }: FoundMigration,
  operation: string | undefined,
): Promise<Status> {
  const { resource, sources, rev, since, evidenceSince, generation } = state;
  const [gate, cusum, noise, found, replicas] = await Promise.all([
    operatorTasks.gate(resource, operation),
    operatorTasks.cusum(resource),
    operatorTasks.noise(resource),
    evidence.read(resource),
    states.acknowledged(resource),
  ]);
  const { stage, percent } = positionOf(state, operation);
  const breakerOpen = migrations.openBreakers().includes(resource);
  const own = states.current(resource);
  const served = own === state ? undefined : own;
  return {
    ...{ resource, sources, rev, stage, percent, operations: state.operations },
    hold: state.hold ?? null,
    ...{ since, evidenceSince, generation, replicas, staleSeconds: states.staleSeconds() },
    gate: gateView(gate),
    compare: compareView(found, { cusum, noise }, config),
    fallback: fallbackView(found),
    lastRollback: state.lastRollback,
    rehearsedAt: state.rehearsedAt ?? null,
    ...{ walk: state.walk ?? null, edges: state.edges ?? null },
    ...{ rules: state.rules, acknowledged: state.acknowledged },
    task: tasks.of(resource) ?? null,
    breakerOpen,
    notes: notesOf(state, config, { breakerOpen, served, uncompared: migrations.uncompared(resource) }),
  };
}
