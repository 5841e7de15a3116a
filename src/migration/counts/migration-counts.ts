// The parts of the comparison counts, which say what comparisons and calls of callers have shown about both sources.

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
