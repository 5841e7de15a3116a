// The parameters and the results of the tasks of operators.

import type { AnswerDifference } from '../compare/comparison.ts';

/**
 * What a long task gets: it ends when `signal` aborts, and calls `progress`. Within a phase the progress only grows; `phase` says
 * what is done in it.
 */
export type Run = {
  readonly signal: AbortSignal;
  readonly progress: (done: number, of?: number, phase?: string) => void;
};

/** The result of the check by `create`: whether both sources have the same records under the same ids. */
export type SourcesCheck = {
  /** Records that both sources have under one id. */
  readonly same: number;
  /** Records that the new source was asked for. */
  readonly asked: number;
  /** Why the migration cannot begin; empty if it can. */
  readonly problems: readonly string[];
};

/** The result of a walk over all records of both sources. */
export type WalkResult = {
  readonly records: number;
  readonly differences: number;
  /** Records that could not be compared, because callers wrote to them during each attempt. */
  readonly unknown: number;
};

/** A difference without its values. Without an id it is about the whole list. */
export type NamedDifference = Pick<AnswerDifference, 'id' | 'path' | 'kind'> & {
  readonly hint?: string | undefined;
};

/** Called with each difference that a walk finds. */
export type OnDifference = (found: NamedDifference) => void;

/** Whether the judge would have rolled back in a failure drill, and what it saw. */
export type DrillResult = { readonly tripped: boolean; readonly reason: string };

/**
 * One question that was recorded, in its canonical form: `users.list` and `limit=20&sort=name`, or `users.get` and
 * `id=user_1`.
 */
export type RecordedQuery = { readonly operation: string; readonly query: string };

/** The result of a replay of recorded questions. */
export type TrafficReplayResult = {
  /** Questions that both sources were asked. */
  readonly asked: number;
  /** How many comparisons had each verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
};

/** The present answers of both sources to one question, with values. They are shown to the operator and never kept. */
export type ExplainedQuestion = {
  /** The body of the answer, or `{ error }`. */
  readonly legacy: unknown;
  readonly new: unknown;
  readonly differences: readonly AnswerDifference[];
};

/** Which callers a share reaches, and how much of the traffic of the last hour that is, over all processes. */
export type Preview = {
  readonly percent: number;
  /** Callers of the last hour, and those whom the share reaches. Not all are told apart if there are more than 10,000. */
  readonly callers: number;
  readonly reached: number;
  /** The part of the calls, 0 to 100. */
  readonly callsPercent: number;
  /** The least share that reaches somebody: 0 if `allow` has a caller of the last hour, `null` if no share reaches any. */
  readonly least: number | null;
  /** The callers with the most calls, of all and of those whom the share reaches, by the id in the log, or by a part of its digest if only another process knows the id. */
  readonly largest: readonly {
    readonly caller: string;
    readonly callsPercent: number;
    readonly isReached: boolean;
  }[];
};
