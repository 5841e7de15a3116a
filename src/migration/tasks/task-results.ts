// The parameters and the results of the tasks that operators run on a migration, such as a walk or a replay.

import type { AnswerDifference } from '../compare/comparison.ts';

/**
 * What a long task gets. The task ends when `signal` aborts, and calls `progress` with what is done, and of how much. The numbers
 * only grow within a phase; `phase` names it.
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

/** A difference with the id of its record, but without its values. Without an id it is about the whole list. */
export type DifferenceWithoutValues = Pick<AnswerDifference, 'id' | 'path' | 'kind'> & {
  readonly hint?: string | undefined;
};

/** Called with each difference that a walk finds. */
export type OnDifference = (found: DifferenceWithoutValues) => void;

/** Whether the judge would have rolled back in a failure drill, and what it saw. */
export type DrillResult = { readonly tripped: boolean; readonly reason: string };

/**
 * One recorded question, in its canonical form: `users.list` and `limit=20&sort=name`, or `users.get` and `id=user_1`.
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
  /** The body of the legacy source's answer as JSON, or `{ error }` with the code. */
  readonly legacy: unknown;
  /** The same of the new source. */
  readonly new: unknown;
  readonly differences: readonly AnswerDifference[];
};

/** Which callers of the last hour a share of the ramp reaches, and how much of the traffic is theirs, over all processes. */
export type Preview = {
  readonly percent: number;
  /** The number of callers in the last hour. Beyond 10,000, not all are counted one by one. */
  readonly callers: number;
  /** How many of these callers the share reaches. */
  readonly reached: number;
  /** The part of the calls that come from reached callers, from 0 to 100. */
  readonly callsPercent: number;
  /** The least share that reaches a caller: 0 if `allow` has a caller of the last hour, `null` if no share reaches one. */
  readonly least: number | null;
  /**
   * The callers with the most calls, among all and among the reached callers. `caller` is the id in the log, or a part of its
   * digest if only another process knows the id.
   */
  readonly largest: readonly {
    readonly caller: string;
    readonly callsPercent: number;
    readonly isReached: boolean;
  }[];
};
