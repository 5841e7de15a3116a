// What the tasks of operators are given, and what they find.

import type { AnswerDifference } from '../compare/comparison.ts';

/** Work that takes longer than a request. It ends when `signal` aborts, and says how far it is. */
export type Run = {
  readonly signal: AbortSignal;
  readonly progress: (done: number, of?: number) => void;
};

/** What the check at `create` has found: whether both sources have the same records under the same ids. */
export type SourcesCheck = {
  /** Records that both sources have under one id. */
  readonly same: number;
  /** Records that were asked of the new source. */
  readonly asked: number;
  /** Why the migration cannot begin; none: it can. */
  readonly problems: readonly string[];
};

/** What a walk over all records of both sources has found. */
export type WalkResult = {
  readonly records: number;
  readonly differences: number;
  /** Records that could not be compared, because they were written to at each attempt. */
  readonly unknown: number;
};

/** What differs at one path, with the id of the record; without one, it is about the whole list. It has no values. */
export type NamedDifference = Pick<AnswerDifference, 'id' | 'path' | 'kind'> & {
  readonly hint?: string | undefined;
};

/** Learns of each difference that a walk finds, while it goes on. */
export type OnDifference = (found: NamedDifference) => void;

/** Whether the judge has seen the faults that a rehearsal made, and would have rolled back. */
export type DrillResult = { readonly tripped: boolean; readonly evidence: string };

/**
 * One question that was recorded, in its canonical form: `users.list` and `limit=20&sort=name`, or `users.get` and
 * `id=user_1`.
 */
export type RecordedQuery = { readonly operation: string; readonly query: string };

/** What a replay of recorded questions has found. */
export type TrafficReplayResult = {
  /** Questions that both sources were asked. */
  readonly asked: number;
  /** How many comparisons had each verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
};

/** What both sources answer to one question now, with their values. It is shown to the operator and never kept. */
export type ExplainedQuestion = {
  /** The body of the answer; `{ error }` where the source answers none. */
  readonly legacy: unknown;
  readonly new: unknown;
  readonly differences: readonly AnswerDifference[];
};

/** Whom a share reaches, and how much of the traffic of the last hour that is, over all processes. */
export type Preview = {
  readonly percent: number;
  /** Callers of the last hour, and those among them that the share reaches; beyond 10,000 not all are told apart. */
  readonly callers: number;
  readonly reached: number;
  /** The true part of the calls, 0 to 100. */
  readonly callsPercent: number;
  /** The largest callers, by the id that the log shows; by a part of its digest where another process has seen them. */
  readonly largest: readonly {
    readonly caller: string;
    readonly callsPercent: number;
    readonly isReached: boolean;
  }[];
};
