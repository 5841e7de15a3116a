// Decides from the newest counts whether the judge rolls an operation back, holds it, or lets it go on.

import { FAILING_MAX } from '../counts/delta.ts';
import type { OperationCounts } from '../counts/counts-store.ts';
import type { Latencies } from '../counts/migration-counts.ts';
import { latenciesSince, latencyCount, latencyQuantile } from '../counts/latency-histogram.ts';
import type { Rollback } from '../state/migration-state.ts';
import { CUSUM_LIMIT, type FailureShares, nextBoundedCusum, nextCusum } from '../statistics/cusum.ts';
import { lowerBound } from '../statistics/mismatch-bound.ts';
import type { TransientMemory } from './transient-rules.ts';

type StepCounts = OperationCounts['step'];

/** What the judge remembers of an operation from one round to the next, within one step. */
export type OperationMemory = {
  /** The CUSUM of real failures; one caller can add only a part to it. */
  readonly cusum: number;
  /** The CUSUM of the failures of a failure drill. */
  readonly rehearsal: number;
  /** What each caller has added to the CUSUM, and what it would be without the limit for one caller. */
  readonly failures?: { readonly shares: FailureShares; readonly unbounded: number } | undefined;
  /** The counts of the step in the last round. */
  readonly seen: Pick<StepCounts, 'served' | 'failed' | 'attributable' | 'rehearsed'>;
  /** When the present window of 30 s began, in milliseconds since the epoch, and the latencies at that time. */
  readonly window: { readonly at: number; readonly servedMs: Latencies; readonly legacyMs: Latencies };
  /** How many windows in a row were too slow. */
  readonly slowWindows: number;
  /** Absent before the first round. */
  readonly transient?: TransientMemory | undefined;
};

/** What the judge has decided about an operation. */
export type JudgeDecision =
  | { readonly kind: 'go_on' }
  | { readonly kind: 'hold'; readonly reason: string }
  /** The failures reach the limit only because of one caller, so Portico asks its own questions, see `createOwnJudgement`. */
  | { readonly kind: 'ask'; readonly reason: string; readonly otherwise: JudgeDecision }
  | {
      readonly kind: 'roll_back';
      readonly rule: Exclude<Rollback['rule'], 'asked'>;
      readonly reason: string;
    };

/** If this number of records differ in one critical field, the migration is rolled back. One or two may be an accident. */
const CRITICAL_RECORDS = 3;
/** The migration is rolled back if at least 200 questions were compared and, with 95 % confidence, a larger share differs. */
const MISMATCH_SHARE = 0.005;
const MISMATCH_KEYS = 200;

const WINDOW_MS = 30_000;
const WINDOW_CALLS = 100;
/** The new source is slow if its 95th percentile is above the legacy source's, multiplied by the factor, plus the milliseconds. */
const SLOW_FACTOR = 1.5;
const SLOW_MS = 50;
const WINDOWS_TO_HOLD = 3;
const WINDOWS_TO_ROLL_BACK = 6;

const GO_ON: JudgeDecision = { kind: 'go_on' };

/** The memory at the beginning of a step. `now` is in milliseconds since the epoch. */
export function newMemory(now: number): OperationMemory {
  return {
    ...{ cusum: 0, rehearsal: 0, seen: { served: 0, failed: 0, attributable: 0, rehearsed: 0 } },
    ...{ window: { at: now, servedMs: {}, legacyMs: {} }, slowWindows: 0 },
  };
}

/** The counts since the last round. If a count is lower than before, Redis has lost the old ones, so all counts are new. */
function since(step: StepCounts, { seen }: OperationMemory) {
  const before = step.served < seen.served || step.rehearsed < seen.rehearsed ? newMemory(0).seen : seen;
  return {
    failed: step.attributable - before.attributable,
    answered: step.served - step.failed - (before.served - before.failed),
    rehearsed: step.rehearsed - before.rehearsed,
  };
}

/** Whether the new source was too slow in a window; `undefined` if there were too few calls. */
function isSlow(served: Latencies, legacy: Latencies): boolean | undefined {
  const [newP95, legacyP95] = [latencyQuantile(served, 0.95), latencyQuantile(legacy, 0.95)];
  if (latencyCount(served) < WINDOW_CALLS || latencyCount(legacy) < WINDOW_CALLS) return undefined;
  return newP95 !== undefined && legacyP95 !== undefined && newP95 > legacyP95 * SLOW_FACTOR + SLOW_MS;
}

/** Judges the latencies at the end of each window of 30 s. */
function judgeLatency(memory: OperationMemory, counts: OperationCounts, now: number) {
  const { window, slowWindows } = memory;
  const { servedMs, legacyMs } = counts.step;
  if (now - window.at < WINDOW_MS) return { window, slowWindows };
  const own = latenciesSince(legacyMs, window.legacyMs);
  const slow = isSlow(
    latenciesSince(servedMs, window.servedMs),
    latencyCount(own) < WINDOW_CALLS ? counts.legacyMs : own,
  );
  const next = { at: now, servedMs, legacyMs };
  return { window: next, slowWindows: slow === undefined ? slowWindows : slow ? slowWindows + 1 : 0 };
}

/** Decides by the failures; `otherwise` is the decision by everything else. */
function ofFailures(
  { cusum, failures }: OperationMemory,
  { served, attributable }: StepCounts,
  otherwise: JudgeDecision,
): JudgeDecision {
  const unbounded = failures?.unbounded ?? 0;
  if (unbounded < CUSUM_LIMIT) return otherwise;
  const reason = `CUSUM ${unbounded.toFixed(1)} of ${CUSUM_LIMIT}; ${attributable} of ${served} calls failed at the new source alone`;
  if (cusum >= CUSUM_LIMIT) return { kind: 'roll_back', rule: 'failures', reason };
  return otherwise.kind === 'roll_back' ? otherwise : { kind: 'ask', reason, otherwise };
}

/** The entries of the last failures. Failures of unknown callers count as failures of one caller. */
function lastFailing(failing: readonly string[], failed: number): readonly string[] {
  return Array.from({ length: Math.min(failed, FAILING_MAX) }, (_, index) => failing[index] ?? '');
}

/** The new CUSUM, with and without the limit for one caller. */
function judgeFailures(
  before: OperationMemory,
  failing: readonly string[],
  failed: number,
  answered: number,
) {
  const { shares = {}, unbounded = before.cusum } = before.failures ?? {};
  const bounded = nextBoundedCusum({ cusum: before.cusum, shares }, lastFailing(failing, failed), answered);
  return {
    cusum: bounded.cusum,
    failures: { shares: bounded.shares, unbounded: nextCusum(unbounded, { failed, answered }) },
  };
}

function ofDifferences({ critical, keys, mismatchedKeys }: StepCounts): JudgeDecision {
  const [path, records] = Object.entries(critical).find(([, count]) => count >= CRITICAL_RECORDS) ?? [];
  if (path !== undefined)
    return { kind: 'roll_back', rule: 'difference', reason: `${records} records differ at ${path}` };
  if (keys < MISMATCH_KEYS || lowerBound(keys, mismatchedKeys) <= MISMATCH_SHARE) return GO_ON;
  const share = (100 * lowerBound(keys, mismatchedKeys)).toFixed(2);
  const reason = `${mismatchedKeys} of ${keys} questions differ: at least ${share} % with 95 % confidence`;
  return { kind: 'roll_back', rule: 'difference', reason };
}

function ofLatency({ slowWindows }: OperationMemory): JudgeDecision {
  if (slowWindows < WINDOWS_TO_HOLD) return GO_ON;
  const reason = `p95 above ${SLOW_FACTOR} times the legacy one and ${SLOW_MS} ms for ${(slowWindows * WINDOW_MS) / 1_000} s`;
  return slowWindows < WINDOWS_TO_ROLL_BACK
    ? { kind: 'hold', reason }
    : { kind: 'roll_back', rule: 'latency', reason };
}

/**
 * Judges the counts of an operation since the last round. A failure counts only if the legacy source answered the same call,
 * because otherwise a rollback would help no caller. Without data the decision is `go_on`.
 */
export function judgeOperation(
  before: OperationMemory,
  counts: OperationCounts,
  now: number,
): { readonly memory: OperationMemory; readonly decision: JudgeDecision } {
  const { step } = counts;
  const { failed, answered, rehearsed } = since(step, before);
  const { served, failed: allFailed, attributable, rehearsed: allRehearsed } = step;
  const memory: OperationMemory = {
    ...judgeFailures(before, counts.failing, failed, answered),
    rehearsal: nextCusum(before.rehearsal, { failed: rehearsed, answered: 0 }),
    seen: { served, failed: allFailed, attributable, rehearsed: allRehearsed },
    ...judgeLatency(before, counts, now),
  };
  const decisions = [ofDifferences(step), ofLatency(memory)];
  const otherwise =
    decisions.find(({ kind }) => kind === 'roll_back') ??
    decisions.find(({ kind }) => kind === 'hold') ??
    GO_ON;
  return { memory, decision: ofFailures(memory, step, otherwise) };
}
