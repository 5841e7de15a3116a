import type { Comparison, DifferenceSample } from '../compare/comparison.ts';
import type { FallbackCause } from '../routing/origin.ts';

/** One call that the new source was asked for by a caller. */
export type NewCall = {
  readonly resource: string;
  readonly operation: string;
  readonly ms: number;
  /** Absent: the new source has answered. */
  readonly fallback?: FallbackCause | undefined;
  /** Whether the failure is the new source's alone: the legacy source answered the same call. */
  readonly isAttributable: boolean;
};

/** What is known of one operation since the evidence began, over all processes. */
export type OperationEvidence = {
  /** Distinct questions compared, and those among them with a confirmed difference. */
  readonly keys: number;
  readonly mismatchedKeys: number;
  /** Comparisons by verdict. */
  readonly match: number;
  readonly mismatch: number;
  readonly inconclusive: number;
  readonly ignored: number;
  readonly failedNew: number;
  readonly failedLegacy: number;
  readonly failedBoth: number;
  /** Distinct records with a confirmed difference, by critical path. */
  readonly critical: Readonly<Record<string, number>>;
  /** Calls of callers at the new source, those that failed there, and those that failed there alone. */
  readonly served: number;
  readonly failed: number;
  readonly attributable: number;
  readonly fallback: Readonly<Record<FallbackCause, number>>;
  /** When the last fallback was, milliseconds since the epoch. */
  readonly lastFallbackAt?: number | undefined;
  /** Counts of calls by the upper bound of their milliseconds, of both sources for the same questions. */
  readonly legacyMs: Readonly<Record<string, number>>;
  readonly newMs: Readonly<Record<string, number>>;
  readonly lagMs: Readonly<Record<string, number>>;
};

/** One kind of difference at one path. */
export type DifferenceGroup = Pick<DifferenceSample, 'path' | 'kind'> & {
  readonly operation: string;
  readonly count: number;
  /** Whether a rule ignores it. */
  readonly ignored: boolean;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly samples: readonly DifferenceSample[];
};

/** Gathers what is learnt of both sources: in Redis for a fleet, else in this process. */
export type Evidence = {
  /** Counts a comparison, and a call of a caller at the new source. Neither waits nor fails. */
  compared(comparison: Comparison): void;
  served(call: NewCall): void;
  /** Whether a question was compared before, as far as this process knows. Never waits. */
  isKnown(resource: string, operation: string, query: string): boolean;
  /** By operation. @throws Error where Redis fails */
  read(resource: string): Promise<Readonly<Record<string, OperationEvidence>>>;
  differences(resource: string): Promise<readonly DifferenceGroup[]>;
  /** Writes what was counted so far. */
  flush(): Promise<void>;
  close(): void;
};
