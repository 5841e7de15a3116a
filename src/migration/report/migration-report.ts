// Builds the report on a migration as data, which the API returns and the document, the command line and the page show.

import type { OperationCounts } from '../counts/counts-store.ts';
import type { Latencies } from '../counts/migration-counts.ts';
import { latencyQuantile } from '../counts/latency-histogram.ts';
import { type Gate, gateOf } from '../judge/gate.ts';
import type { GateFacts } from '../judge/gate-facts.ts';
import { transientRates } from '../judge/transient-rules.ts';
import { type ShadowOutcome, uncomparedWords } from '../shadow/uncompared.ts';
import { forcedOver, positionOf, positionText } from '../state/migration-state.ts';
import { upperBound } from '../statistics/mismatch-bound.ts';

const rounded = (value: number) => Number(value.toPrecision(3));

/** The median, the 95th and the 99th percentile, in milliseconds; empty if there are no calls. */
const quantiles = (latencies: Latencies) =>
  [0.5, 0.95, 0.99].flatMap((share) => latencyQuantile(latencies, share) ?? []);

/** The results of the comparisons of one operation, and of the calls of its callers. */
function operationReport(operation: string, one: OperationCounts, { config, cusum, noise }: GateFacts) {
  const { keys, mismatchedKeys, match, mismatch, inconclusive, ignored, transient, given } = one;
  const { failedNew, failedLegacy, failedBoth, odd, served, attributable, fallback } = one;
  const rates = transientRates(one, one, { config, noise: noise[operation] });
  return {
    ...{ keys, mismatchedKeys, match, mismatch, inconclusive, ignored, transient, given },
    ...{ failedNew, failedLegacy, failedBoth, odd, served, attributable, fallback },
    bound95: rounded(upperBound(keys, mismatchedKeys)),
    cusum: rounded(cusum[operation] ?? 0),
    lagP99Ms: latencyQuantile(one.lagMs, 0.99) ?? null,
    ...{ legacyMs: quantiles(one.legacyMs), newMs: quantiles(one.newMs) },
    once: rates.map(({ field, isAtOnce, isMeasured, share, noise: explained }) => ({
      ...{ field, isAtOnce, isMeasured, share: rounded(share), noise: rounded(explained) },
    })),
  };
}

/** The sums of counts by name, over all operations. */
function sumsOf(
  counts: GateFacts['counts'],
  of: 'fallback' | 'uncompared',
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const one of Object.values(counts))
    for (const [name, count] of Object.entries(one[of])) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** The numbers of answers that were not compared, by the reason, the most frequent first. */
function uncomparedRows(counts: GateFacts['counts']) {
  return Object.entries(sumsOf(counts, 'uncompared'))
    .map(([outcome, count]) => ({ outcome, count, why: uncomparedWords[outcome as ShadowOutcome] }))
    .sort((a, b) => b.count - a.count);
}

/** Builds the report: the position, the gate of the next step, and the results of comparisons. It has no value of a record. */
export function migrationReport(facts: GateFacts, { next, reach: _reach, ...gate }: Gate = gateOf(facts)) {
  const { state, operation, counts } = facts;
  const { resource, sources, rev, operations, since, evidenceSince, generation } = state;
  const { stage, percent } = positionOf(state, operation);
  const compare = Object.entries(counts).map(([name, one]) => [name, operationReport(name, one, facts)]);
  return {
    ...{ resource, sources, rev, stage, percent, operations, hold: state.hold ?? null },
    ...{ since, evidenceSince, generation, forced: forcedOver(state) },
    gate: { next: next === undefined ? null : positionText(next), ...gate },
    compare: Object.fromEntries(compare) as Readonly<Record<string, ReturnType<typeof operationReport>>>,
    ...{ fallback: sumsOf(counts, 'fallback'), uncompared: uncomparedRows(counts) },
    ...{ lastRollback: state.lastRollback, rehearsedAt: state.rehearsedAt ?? null },
    ...{ walk: state.walk ?? null, edges: state.edges ?? null },
    ...{ rules: state.rules, acknowledged: state.acknowledged },
  };
}

/** The report on a migration as data. */
export type MigrationReport = ReturnType<typeof migrationReport>;
