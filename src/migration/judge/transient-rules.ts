// Decides whether transient differences (there once, and gone when asked again) are more frequent than writes to the data explain.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { isCritical } from '../counts/delta.ts';
import type { ComparisonCounts, OperationCounts } from '../counts/counts-store.ts';
import { latencyQuantile } from '../counts/latency-histogram.ts';
import { CUSUM_LIMIT, nextCusum } from '../statistics/cusum.ts';
import { shareInPercent, upperBound } from '../statistics/mismatch-bound.ts';

type TransientCounts = Pick<ComparisonCounts, 'given' | 'transients' | 'rereads' | 'changed'>;

/** The noise: how often each field changes in the legacy source during the lag of the new one. */
export type NoiseMemory = {
  /** When the present window began, in milliseconds since the epoch, and the counts at that time. */
  readonly window: Pick<TransientCounts, 'rereads' | 'changed'> & { readonly at: number };
  /** The highest share of all windows, by field; absent before the first window has ended. */
  readonly highest?: Readonly<Record<string, number>> | undefined;
};

/** What the judge remembers of transient differences from one round to the next, within one step. */
export type TransientMemory = {
  /** A CUSUM for each name of `TransientCounts.transients`. */
  readonly cusum: Readonly<Record<string, number>>;
  /** The counts of the step in the last round. */
  readonly seen: { readonly compared: number; readonly transients: Readonly<Record<string, number>> };
  /** Why there are too many transient differences; absent if there are not. */
  readonly exceeded?: string | undefined;
};

/** A window lasts an hour and 1,000 repeated questions, because a shorter one may miss the writes of a busy minute. */
const WINDOW_MS = 3_600_000;
const WINDOW_REREADS = 1_000;
/** At least this number of distinct records must differ, because one record may change all the time. */
const RECORDS = 3;
/** In a critical field, three differences close together are enough. */
const CRITICAL_LIMIT = CUSUM_LIMIT / 2;
const CUSUM_MAX = 2 * CUSUM_LIMIT;
/** The usual share is at least this, because 0 has no logarithm. */
const BOUND_MIN = 1e-4;

/** The share of answers that changed in the present window, at most and with 95 % confidence; 0 if no change was seen. */
function shareSince({ window }: NoiseMemory, { rereads, changed }: TransientCounts, field: string): number {
  const hits = (changed[field] ?? 0) - (window.changed[field] ?? 0);
  return hits === 0 ? 0 : upperBound(rereads - window.rereads, hits);
}

/** Ends the window of the noise if it is long enough. The highest share of all windows counts: the hour with the most writes. */
export function nextNoise(
  before: NoiseMemory | undefined,
  counts: TransientCounts,
  now: number,
): NoiseMemory {
  const { rereads, changed } = counts;
  // If a count is lower than before, Redis has lost the old counts.
  if (before === undefined || rereads < before.window.rereads)
    return { window: { at: now, rereads: 0, changed: {} } };
  const { window, highest = {} } = before;
  if (now - window.at < WINDOW_MS || rereads - window.rereads < WINDOW_REREADS) return before;
  const fields = Object.keys({ ...highest, ...changed });
  const higher = (field: string) => Math.max(highest[field] ?? 0, shareSince(before, counts, field));
  return {
    window: { at: now, rereads, changed },
    highest: Object.fromEntries(fields.map((field) => [field, higher(field)])),
  };
}

/** What a rate of transient differences is compared with. */
export type TransientFacts = {
  readonly config: Pick<MigrationConfig, 'compare' | 'recheck'>;
  /** `undefined` if nothing was measured yet. */
  readonly noise: NoiseMemory | undefined;
};

/** How often one field had a transient difference, and how often writes explain that; both from 0 to 1. */
export type TransientRate = ReturnType<typeof transientRates>[number];

/** The number of comparisons that had both answers. */
export const comparedIn = ({ match, ignored, transient, mismatch, inconclusive }: ComparisonCounts): number =>
  match + ignored + transient + mismatch + inconclusive;

/**
 * The part of the noise (0 to 1) that explains differences that were gone at once. The time between the two readings is shorter
 * than the lag, so fewer writes fall into it.
 */
function onceFactor({ lagMs, legacyMs, newMs }: ComparisonCounts, { recheck }: TransientFacts['config']) {
  const p99 = (latencies: ComparisonCounts['lagMs']) => latencyQuantile(latencies, 0.99);
  const readMs = (p99(legacyMs) ?? 0) + (p99(newMs) ?? 0);
  return Math.min(1, (2 * readMs) / (p99(lagMs) ?? recheck.delay));
}

/** The rates of transient differences in `shown`; the noise is taken from all counts. */
export function transientRates(
  shown: ComparisonCounts,
  counts: OperationCounts,
  { config, noise }: TransientFacts,
) {
  const factor = onceFactor(counts, config);
  return Object.entries(shown.transients).map(([name, count]) => {
    const [field = '', when] = name.split('|');
    const known = noise?.highest?.[field] ?? 0;
    const most = Math.max(known, noise === undefined ? 0 : shareSince(noise, counts, field));
    const isAtOnce = when === 'once';
    // Whether the noise was measured for long enough.
    const isMeasured = isAtOnce || noise?.highest !== undefined;
    const share = count / Math.max(1, comparedIn(shown));
    return { name, field, isAtOnce, isMeasured, share, noise: isAtOnce ? most * factor : most };
  });
}

/** The CUSUM of one rate. It grows if the share is rather ten times the usual share than the usual share. */
function cusumOf(
  { name, noise }: TransientRate,
  before: TransientMemory,
  { transients, ...step }: ComparisonCounts,
  accepted: number,
): number {
  const { seen, cusum } = before;
  const failed = (transients[name] ?? 0) - (seen.transients[name] ?? 0);
  const answered = comparedIn({ ...step, transients }) - seen.compared - failed;
  const usual = Math.min(Math.max(BOUND_MIN, noise + accepted), 0.5);
  const unaccepted = Math.min(10 * usual, (1 + usual) / 2);
  const next = nextCusum(cusum[name] ?? 0, { failed, answered }, { usual, unaccepted });
  return Math.min(CUSUM_MAX, next);
}

/**
 * Judges the transient differences since the last round. Differences that were gone after a wait are judged only after the noise
 * was measured, because a store that lags behind looks the same. Differences that were gone at once are judged at once.
 */
export function judgeTransients(
  before: TransientMemory | undefined,
  counts: OperationCounts,
  facts: TransientFacts,
): TransientMemory {
  const { step } = counts;
  const { critical, transientPercent } = facts.config.compare;
  const compared = comparedIn(step);
  const empty: TransientMemory = { cusum: {}, seen: { compared: 0, transients: {} } };
  const known = before === undefined || compared < before.seen.compared ? empty : before;
  const accepted = transientPercent / 100;
  const rates = transientRates(step, counts, facts);
  const cusum = Object.fromEntries(
    rates.map((rate) => [rate.name, rate.isMeasured ? cusumOf(rate, known, step, accepted) : 0]),
  );
  // After a report, the CUSUM must be 0 before the state ends. Otherwise each further answer would be reported again.
  const lowest = known.exceeded === undefined ? Infinity : Number.MIN_VALUE;
  const worst = rates.find(({ name, field }) => {
    const limit = Math.min(lowest, isCritical(critical, field) ? CRITICAL_LIMIT : CUSUM_LIMIT);
    return (cusum[name] ?? 0) >= limit && (step.transientRecords[name] ?? 0) >= RECORDS;
  });
  const seen = { compared, transients: step.transients };
  if (worst === undefined) return { cusum, seen };
  const { name, field, share, noise } = worst;
  const often = `${step.transients[name] ?? 0} of ${compared} answers of the new source (${shareInPercent(share, 2)})`;
  const exceeded = `${often} differed once in ${field}; writes explain ${shareInPercent(noise, 2)}, ${transientPercent} % is accepted; callers were given ${step.given} such answers`;
  return { cusum, seen, exceeded };
}
