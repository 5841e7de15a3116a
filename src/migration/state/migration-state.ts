// The type of the state of one migration.

import type { MigrationStage } from '../../config/schema/migration-stages.ts';

/** How far a resource, or one operation of it, has moved. */
export type Position = {
  readonly stage: MigrationStage;
  /** The share of the ramp in percent, in steps of 0.01; 0 in other stages. */
  readonly percent: number;
};

/** A rule that an operator has made while the gateway runs, in addition to those of the file. */
export type RuntimeRule = {
  readonly id: string;
  readonly path: string;
  /** One of `differenceHints`; absent if the rule is about every difference at the path. */
  readonly hint?: string | undefined;
  readonly owner: string;
  readonly reason: string;
  /** When it ends, milliseconds since the epoch. */
  readonly until: number;
};

/** Why and when a resource went back to its legacy source. */
export type Rollback = {
  /** An instant in UTC. */
  readonly at: string;
  /** The name of an operator's token, or `judge`. */
  readonly by: string;
  /** Which rule of the judge; `asked` if an operator asked for it. */
  readonly rule: 'failures' | 'difference' | 'transient' | 'latency' | 'asked';
  readonly from: Position;
  /** The counts that led to it, in a few words. It never contains a value of a record. */
  readonly evidence: string;
};

/** The result of comparing the edge cases. */
export type EdgeCaseResult = {
  /** How many were compared; and in how many the sources differ, or only the legacy source has an answer. */
  readonly asked: number;
  readonly different: number;
  /** The names of some that differ, such as `page past the end`. */
  readonly named: readonly string[];
  /** The kinds of question (see `queryKind`) that the new source cannot answer within its limits. */
  readonly refused: readonly { readonly operation: string; readonly kind: string }[];
};

/** A step forward that waits until another operator approves it. */
export type PendingStep = {
  readonly to: Position;
  /** Absent if it is a step of the whole resource. */
  readonly operation?: string | undefined;
  /** Whether it goes over a gate that is not ready. */
  readonly isForced: boolean;
  /** Who has asked for it, and why. */
  readonly by: string;
  readonly reason?: string | undefined;
  readonly at: string;
  /** From then on it is as if nobody had asked. */
  readonly until: string;
};

/** The state of one migration. It is replaced as a whole, by compare-and-set on `rev`. All instants are texts in UTC. */
export type MigrationState = Position & {
  readonly resource: string;
  /** The names of both sources. A later migration of the resource between other sources has a state of its own. */
  readonly sources: readonly [legacy: string, new: string];
  /** Rises by one with each change. While it is 0, no change was made and the stage in the file counts. */
  readonly rev: number;
  /** The operations that have a position of their own, such as `users.list`. */
  readonly operations: Readonly<Record<string, Position>>;
  /** Present while the migration is on hold. Then neither an operator nor the judge can take a step forward. */
  readonly hold?: { readonly by: string; readonly at: string; readonly reason: string } | undefined;
  /** The salt of the buckets. It survives rollbacks, so that a ramp reaches the same callers first again. */
  readonly salt: string;
  /** Part of each cache key of the new source. A rollback raises it, so that nothing cached before is served any more. */
  readonly generation: number;
  /** The name of the present comparison counts. They begin anew, with another name, when a source file changes. */
  readonly evidence: string;
  /** The digests of the source files with which these counts were made. */
  readonly digests: readonly [legacy: string, new: string];
  /** When this stage and share began. */
  readonly since: string;
  /** What the step to this position went over, because an operator forced it. It counts if `at` is `since`. */
  readonly forced?: { readonly at: string; readonly over: readonly string[] } | undefined;
  /** The step that waits for an approval; any other step, and a rollback, replaces it. See `pendingStep`. */
  readonly pending?: PendingStep | undefined;
  /** When the comparison counts began. */
  readonly evidenceSince: string;
  /** When a changed source file made the counts begin anew; absent if an operator or a rollback did. */
  readonly sourceChangedAt?: string | undefined;
  readonly lastRollback: Rollback | null;
  /** When a failure drill last worked; absent if none has with these counts. */
  readonly rehearsedAt?: string | undefined;
  /** Present while a failure drill runs. Until then, this percentage of the comparison calls fails on purpose. */
  readonly rehearsal?: { readonly until: string; readonly percent: number } | undefined;
  /** The last walk over all records with these counts. */
  readonly walk?: { readonly at: string; readonly records: number; readonly differences: number } | undefined;
  /** The last comparison of the edge cases with these counts. */
  readonly edges?: (EdgeCaseResult & { readonly at: string }) | undefined;
  readonly rules: readonly RuntimeRule[];
  /** The ids of the ignore rules that an operator has acknowledged by name, which `complete` needs. */
  readonly acknowledged: readonly string[];
};

/** The position of an operation: its own if it has one, else that of the resource. */
export function positionOf(state: MigrationState, operation?: string): Position {
  return (operation === undefined ? undefined : state.operations[operation]) ?? state;
}

/** The conditions that the step to the present position went over; empty if it was not forced. */
export function forcedOver({ forced, since }: Pick<MigrationState, 'forced' | 'since'>): readonly string[] {
  return forced?.at === since ? forced.over : [];
}

/** The step that waits for an approval at a time, in milliseconds since the epoch. */
export function pendingStep({ pending }: MigrationState, now: number): PendingStep | undefined {
  return pending !== undefined && now < Date.parse(pending.until) ? pending : undefined;
}

/** A position as text: `shadow`, `ramp:5`, `live`. */
export function positionText({ stage, percent }: Position): string {
  return stage === 'ramp' ? `ramp:${percent}` : stage;
}
