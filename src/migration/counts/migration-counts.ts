// The types of evidence: what the comparisons and the calls of callers have shown of both sources.

import type { FallbackCause } from '../../kernel/upstream-call.ts';
import type { Comparison, DifferenceSample } from '../compare/comparison.ts';

/** One call of a caller that reached the new source. */
export type NewSourceCall = {
  readonly resource: string;
  readonly operation: string;
  readonly ms: number;
  /** Absent: the new source has answered. */
  readonly fallback?: FallbackCause | undefined;
  /** The kind of a question that lies beyond the bounds of the new source, see `queryKind`. */
  readonly refused?: string | undefined;
  /** Whether only the new source has failed: the legacy source answered the same call. */
  readonly isAttributable: boolean;
  /** Whose call has failed, and the shape of the question, see `parameterNames`; absent: the call has not failed. */
  readonly failing?: { readonly subject: string; readonly shape: string } | undefined;
};

/**
 * A histogram: each key is an upper bound in milliseconds, each value the number of calls between the bound before and this
 * one.
 */
export type Latencies = Readonly<Record<string, number>>;

/** Distinct questions compared, and those among them whose last comparison has confirmed a difference. */
export type KeyCounts = { readonly keys: number; readonly mismatchedKeys: number };

/** Distinct records with a confirmed difference, by critical path. */
type CriticalCounts = Readonly<Record<string, number>>;

/** Calls of callers at the new source, those that failed there, and those that failed there alone. */
type ServedCounts = { readonly served: number; readonly failed: number; readonly attributable: number };

/** What the new source has said once, and the legacy source has not confirmed; beside how often that is noise. */
export type TransientCounts = {
  /** Comparisons with such an answer that a caller was given. */
  readonly given: number;
  /** Comparisons by field, and by whether it was gone at once or later: `data.email|once`, `data.email|later`. */
  readonly transients: Readonly<Record<string, number>>;
  /** How many answers of the legacy source were read again after the lag; and in how many of them a field had changed. */
  readonly rereads: number;
  readonly changed: Readonly<Record<string, number>>;
};

/** What comparisons have shown. */
export type ComparisonCounts = KeyCounts &
  TransientCounts & {
    /** Comparisons by verdict. */
    readonly match: number;
    readonly transient: number;
    readonly mismatch: number;
    readonly inconclusive: number;
    readonly ignored: number;
    readonly failedNew: number;
    /** Failures of the new source at questions for which the legacy one has no record. */
    readonly odd: number;
    /** Of both sources for the same questions. */
    readonly legacyMs: Latencies;
    readonly newMs: Latencies;
    readonly lagMs: Latencies;
  };

/** What was counted of one operation since its stage and share began. */
export type StepCounts = ComparisonCounts &
  ServedCounts & {
    readonly critical: CriticalCounts;
    /** Distinct records by the names of `transients`. */
    readonly transientRecords: Readonly<Record<string, number>>;
    /** Comparison calls that a rehearsal has made fail; no other count includes them. */
    readonly rehearsed: number;
    /** How long the new source took for callers, where it answered. */
    readonly servedMs: Latencies;
  };

/** What was counted of one operation since the evidence began, over all processes. */
export type OperationCounts = ComparisonCounts &
  ServedCounts & {
    readonly failedLegacy: number;
    readonly failedBoth: number;
    readonly critical: CriticalCounts;
    readonly fallback: Readonly<Record<FallbackCause, number>>;
    /** Questions that lie beyond the bounds of the new source, and which the legacy one answers; by kind. */
    readonly refused: Readonly<Record<string, number>>;
    /**
     * The last failures of the new source alone, the newest first: for each a keyed hash of the caller, a blank, and the
     * shape of the question.
     */
    readonly failing: readonly string[];
    /** When the last fallback was, milliseconds since the epoch. */
    readonly lastFallbackAt?: number | undefined;
    /** What was compared in the last 24 hours. */
    readonly recent: KeyCounts;
    readonly step: StepCounts;
  };

/** The differences of one kind and one hint at one path. */
export type DifferenceGroup = Pick<DifferenceSample, 'path' | 'kind' | 'hint'> & {
  readonly operation: string;
  readonly count: number;
  /** Whether a rule ignores it. */
  readonly ignored: boolean;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly samples: readonly DifferenceSample[];
};

/** Collects evidence about both sources: in Redis for a fleet, else in this process. */
export type MigrationCounts = {
  /** Counts a comparison, and a call of a caller at the new source. Neither waits nor fails. */
  compared(comparison: Comparison): void;
  served(call: NewSourceCall): void;
  /** Counts a question of a kind that lies beyond the bounds of the new source, see `queryKind`. */
  refused(resource: string, operation: string, kind: string): void;
  /** Counts that the legacy source was read again after the lag, and the fields in which it had changed. */
  reread(resource: string, operation: string, changed: readonly string[]): void;
  /** Counts a call that a rehearsal has made fail. */
  rehearsed(resource: string, operation: string): void;
  /** Whether a question was compared before, as far as this process knows. Never waits. */
  isKnown(resource: string, operation: string, query: string): boolean;
  /** By operation; an operation of which nothing is known is absent. @throws Error where Redis fails */
  read(resource: string): Promise<Readonly<Record<string, OperationCounts>>>;
  differences(resource: string): Promise<readonly DifferenceGroup[]>;
  /** Writes what was counted so far. */
  flush(): Promise<void>;
  close(): void;
};
