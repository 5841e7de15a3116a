// The types of the comparison counts, which say what comparisons and calls of callers have shown about both sources. The gate and
// the judge decide by them.

import type { FallbackCause } from '../../kernel/migration-origin.ts';
import type { DifferenceSample } from '../compare/comparison.ts';

/** One call of a caller that reached the new source. */
export type NewSourceCall = {
  readonly resource: string;
  readonly operation: string;
  readonly ms: number;
  /** Why the legacy source had to answer; absent: the new source has answered. */
  readonly fallback?: FallbackCause | undefined;
  /** The kind of question (see `queryKind`), if the new source cannot answer it within its limits. */
  readonly refused?: string | undefined;
  /** Whether only the new source failed, and the legacy source answered the same call. */
  readonly isAttributable: boolean;
  /** Who called, and the shape of the question (see `queryShape`); absent if the call did not fail. */
  readonly failing?: { readonly subject: string; readonly shape: string } | undefined;
};

/** A histogram: each key is an upper bound in milliseconds, each value the calls between the previous bound and this one. */
export type Latencies = Readonly<Record<string, number>>;

/** Distinct questions compared, and how many of them differed when they were last compared. */
export type KeyCounts = { readonly keys: number; readonly mismatchedKeys: number };

/** Calls of callers to the new source: all (`served`), those that failed there, and those that failed only there. */
type ServedCounts = { readonly served: number; readonly failed: number; readonly attributable: number };

/** Counts of transient differences, and of repeated questions that show how often writes explain such differences. */
export type TransientCounts = {
  /** Comparisons in which a caller had already got the answer that differed. */
  readonly given: number;
  /** Comparisons by field and by when the difference was gone: `data.email|once`, `data.email|later`. */
  readonly transients: Readonly<Record<string, number>>;
  /** How many questions the legacy source was asked again after the lag, and in how many answers each field had changed. */
  readonly rereads: number;
  readonly changed: Readonly<Record<string, number>>;
};

/** The counts of comparisons. */
export type ComparisonCounts = KeyCounts &
  TransientCounts & {
    /** Comparisons by verdict. */
    readonly match: number;
    readonly transient: number;
    readonly mismatch: number;
    readonly inconclusive: number;
    readonly ignored: number;
    readonly failedNew: number;
    /** Failures of the new source at questions for which the legacy source has no record. */
    readonly odd: number;
    /** How long both sources took for the same questions, and how long the new one lagged behind. */
    readonly legacyMs: Latencies;
    readonly newMs: Latencies;
    readonly lagMs: Latencies;
  };

/** The counts of one operation since its stage and share began. */
export type StepCounts = ComparisonCounts &
  ServedCounts & {
    /** Distinct records with a confirmed difference, by critical path. */
    readonly critical: Readonly<Record<string, number>>;
    /** Distinct records with a transient difference, by the same names as in `transients`. */
    readonly transientRecords: Readonly<Record<string, number>>;
    /** Comparison calls that a failure drill made fail; no other count includes them. */
    readonly rehearsed: number;
    /** How long the new source took for the callers that it answered. */
    readonly servedMs: Latencies;
  };

/** The counts of one operation since the comparison counts began, over all processes. */
export type OperationCounts = ComparisonCounts &
  ServedCounts & {
    readonly failedLegacy: number;
    readonly failedBoth: number;
    readonly critical: StepCounts['critical'];
    readonly fallback: Readonly<Record<FallbackCause, number>>;
    /** Answers that were not compared, by the outcome of their comparison (see `ShadowOutcome`). */
    readonly uncompared: Readonly<Record<string, number>>;
    /** Questions that the legacy source answers and the new one cannot answer within its limits, by kind. */
    readonly refused: Readonly<Record<string, number>>;
    /** The last failures of only the new source, the newest first: a keyed hash of the caller, a space, the question's shape. */
    readonly failing: readonly string[];
    /** When the last fallback was, in milliseconds since the epoch. */
    readonly lastFallbackAt?: number | undefined;
    /** What was compared in the last 24 hours. */
    readonly recent: KeyCounts;
    readonly step: StepCounts;
  };

/** The differences of one kind and one hint at one path. */
export type DifferenceGroup = Pick<DifferenceSample, 'path' | 'kind' | 'hint'> & {
  readonly operation: string;
  readonly count: number;
  /** Whether a rule ignores these differences. */
  readonly ignored: boolean;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly samples: readonly DifferenceSample[];
};
