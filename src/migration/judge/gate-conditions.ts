// The conditions that one operation has to meet before its next step, by stage. gate.ts adds those of the whole resource.

import type { KeyCounts } from '../counts/migration-counts.ts';
import { latencyCount, latencyQuantile } from '../counts/latency-histogram.ts';
import { type ComparisonCounts, NO_COUNTS, type OperationCounts } from '../counts/counts-store.ts';
import { CUSUM_LIMIT } from '../statistics/cusum.ts';
import { type CheckedCondition, type GateFacts, lasting } from './gate-facts.ts';
import { isShareAtMost, keysNeeded, shareInPercent } from '../statistics/mismatch-bound.ts';
import { positionOf } from '../state/migration-state.ts';
import { comparedIn, transientRates } from './transient-rules.ts';

const NO_DATA = 'no data';

/** The condition that a share is not above a limit. Without data the condition is not met. */
function atMost(id: string, part: number, whole: number, share: number): CheckedCondition {
  const need = `at most ${shareInPercent(share)}`;
  if (whole === 0) return { id, have: NO_DATA, need, isMet: false };
  return { id, have: shareInPercent(part / whole), need, isMet: part / whole <= share };
}

/**
 * The condition that few enough questions differ, with 95 % confidence. It counts distinct questions, because a thousand
 * comparisons of one record show only one fact. If a source has too few records, a walk over all records without a difference
 * meets the condition, too.
 */
function keysCondition({ keys, mismatchedKeys }: KeyCounts, { config, state }: GateFacts): CheckedCondition {
  const { mismatch } = config.gate;
  const { walk } = state;
  const isWalked =
    walk?.differences === 0 && mismatchedKeys === 0 && keys > 0 && walk.records < keysNeeded(mismatch, 0);
  const needed = keysNeeded(mismatch, mismatchedKeys);
  return {
    id: 'keys',
    have: isWalked ? `${keys}, and all ${walk.records} records walked` : keys,
    need: needed === Infinity ? 'a walk over all records' : needed,
    isMet: isWalked || isShareAtMost(mismatch, keys, mismatchedKeys),
  };
}

/** The condition that no record differs in a field of `compare.critical`. */
function criticalCondition({ critical }: OperationCounts): CheckedCondition {
  const paths = Object.entries(critical).filter(([, records]) => records > 0);
  const have = paths.map(([path, records]) => `${path}: ${records}`).join(', ');
  return { id: 'critical', have: have === '' ? 'none' : have, need: 'none', isMet: paths.length === 0 };
}

/** The condition that transient differences of a field are not more frequent than writes explain and the file accepts. */
function transientCondition(
  shown: ComparisonCounts,
  counts: OperationCounts,
  { config, noise }: GateFacts,
  operation: string,
): CheckedCondition {
  const accepted = config.compare.transientPercent / 100;
  const rates = transientRates(shown, counts, { config, noise: noise[operation] });
  const over = rates.filter((rate) => rate.share - rate.noise > accepted);
  const have = over.map(
    (rate) => `${rate.field}: ${shareInPercent(rate.share)}, writes explain ${shareInPercent(rate.noise)}`,
  );
  const need = `at most ${shareInPercent(accepted)} more than writes explain`;
  return { id: 'transient', have: have.join('; ') || 'none', need, isMet: over.length === 0 };
}

/** The condition that the new source can answer each kind of question that callers, or the edge cases, have asked. */
function scanCondition(
  { refused }: OperationCounts,
  { state }: GateFacts,
  operation: string,
): CheckedCondition {
  const ofEdgeCases = state.edges?.refused.filter((one) => one.operation === operation) ?? [];
  const kinds = [...new Set([...Object.keys(refused), ...ofEdgeCases.map(({ kind }) => kind)])].sort();
  return { id: 'scan', have: kinds.join(', ') || 'none', need: 'none', isMet: kinds.length === 0 };
}

/** The condition that the new source is not much slower, by the 99th percentiles of both sources for the same questions. */
function latencyCondition({ legacyMs, newMs }: ComparisonCounts, { config }: GateFacts): CheckedCondition {
  const { latencyFactor, latencySlack } = config.gate;
  const [legacyP99, newP99] = [latencyQuantile(legacyMs, 0.99), latencyQuantile(newMs, 0.99)];
  if (legacyP99 === undefined || newP99 === undefined)
    return { id: 'latency', have: NO_DATA, need: 'calls of both sources', isMet: false };
  const most = Math.round(legacyP99 * latencyFactor + latencySlack);
  return { id: 'latency', have: `p99 ${newP99}ms`, need: `at most ${most}ms`, isMet: newP99 <= most };
}

/** The condition that the new source does not lag behind longer than answers are cached, so callers see no older data. */
function lagCondition({ lagMs }: ComparisonCounts, freshMs: number): readonly CheckedCondition[] {
  const lag = latencyQuantile(lagMs, 0.99);
  if (lag === undefined || latencyCount(lagMs) === 0) return [];
  return [{ id: 'lag', have: `p99 ${lag}ms`, need: `at most ${freshMs}ms`, isMet: lag <= freshMs }];
}

/** The conditions on comparisons, before the first share of callers and again before the legacy source is given up. */
function ofComparisons(shown: ComparisonCounts, facts: GateFacts): readonly CheckedCondition[] {
  const { inconclusive, failedNew } = shown;
  const compared = comparedIn(shown);
  return [
    keysCondition(shown, facts),
    atMost('failed', failedNew, compared + failedNew, facts.config.gate.failed),
    atMost('inconclusive', inconclusive, compared, facts.config.gate.inconclusive),
    latencyCondition(shown, facts),
    ...lagCondition(shown, facts.freshMs),
  ];
}

/** The conditions before the first share of callers, by the comparisons in `shadow`. */
function ofShadow(counts: OperationCounts, facts: GateFacts): readonly CheckedCondition[] {
  return [...ofComparisons(counts, facts), criticalCondition(counts)];
}

/** The conditions before each further share, by the calls of the present share. */
function ofRamp(counts: OperationCounts, facts: GateFacts, cusum: number): readonly CheckedCondition[] {
  const { served, attributable } = counts.step;
  const { stepRequests, failed } = facts.config.gate;
  const cusumMax = CUSUM_LIMIT / 2;
  return [
    { id: 'requests', have: served, need: stepRequests, isMet: served >= stepRequests },
    atMost('failed', attributable, served, failed),
    { id: 'cusum', have: Number(cusum.toFixed(2)), need: `below ${cusumMax}`, isMet: cusum < cusumMax },
    keysCondition(counts.recent, facts),
    criticalCondition(counts),
  ];
}

/** The conditions before the legacy source is given up, by the comparisons since the new source serves everybody. */
function ofLive(counts: OperationCounts, facts: GateFacts): readonly CheckedCondition[] {
  const { lastFallbackAt } = counts;
  return [
    ...ofComparisons(counts.step, facts),
    criticalCondition(counts),
    ...(lastFallbackAt === undefined
      ? []
      : [lasting('fallback', lastFallbackAt, facts.now, facts.config.gate.quiet)]),
  ];
}

/** The conditions that one operation has to meet before its next step. */
export function operationConditions(facts: GateFacts, operation: string): readonly CheckedCondition[] {
  const counts = facts.counts[operation] ?? NO_COUNTS;
  const { stage } = positionOf(facts.state, operation);
  const conditions =
    stage === 'shadow'
      ? ofShadow(counts, facts)
      : stage === 'ramp'
        ? ofRamp(counts, facts, facts.cusum[operation] ?? 0)
        : ofLive(counts, facts);
  const shown = stage === 'shadow' ? counts : counts.step;
  const scan = scanCondition(counts, facts, operation);
  const transient = transientCondition(shown, counts, facts, operation);
  return [...conditions, transient, scan].map((condition) => ({ ...condition, operation }));
}
