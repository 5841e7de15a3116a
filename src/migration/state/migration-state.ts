// The state of one migration: the stage and share that it has reached, and everything that processes of a fleet must agree on.

import type { MigrationStage } from '../../config/schema/migration-stages.ts';

/** How far a resource, or one operation of it, has moved. */
export type Position = {
  readonly stage: MigrationStage;
  /** The share of the ramp in percent, in steps of 0.01; 0 in other stages. */
  readonly percent: number;
};

/** A rule about accepted differences that an operator has added while the gateway runs, besides the rules of the file. */
export type RuntimeRule = {
  readonly id: string;
  readonly path: string;
  /** One of `differenceHints`; absent if the rule is about every difference at the path. */
  readonly hint?: string | undefined;
  readonly owner: string;
  readonly reason: string;
  /** When the rule ends, in milliseconds since the epoch. */
  readonly until: number;
};

/** Why and when a resource went back to its legacy source. */
export type Rollback = {
  /** When it went back, as an instant in UTC. */
  readonly at: string;
  /** Who decided it: the name of an operator's token, or `judge`. */
  readonly by: string;
  /** The rule of the judge that was broken; `asked` if an operator asked for the rollback. */
  readonly rule: 'failures' | 'difference' | 'transient' | 'latency' | 'asked';
  readonly from: Position;
  /** The counts that led to the rollback, in a few words. It never contains a value of a record. */
  readonly evidence: string;
};

/** The result of a comparison of the edge cases. */
export type EdgeCaseResult = {
  /** How many edge cases were compared. */
  readonly asked: number;
  /** In how many of them the sources differ, or only the legacy source has an answer. */
  readonly different: number;
  /** The names of some edge cases that differ, such as `page past the end`. */
  readonly named: readonly string[];
  /** The kinds of question (see `queryKind`) that the new source cannot answer within its limits. */
  readonly refused: readonly { readonly operation: string; readonly kind: string }[];
};

/** A step forward that waits until another operator approves it. */
export type PendingStep = {
  readonly to: Position;
  /** The operation that takes the step; absent if the whole resource takes it. */
  readonly operation?: string | undefined;
  /** Whether the step is taken although the gate is not ready. */
  readonly isForced: boolean;
  /** What it goes over if it is forced, as texts: what was unmet when it was asked for. */
  readonly over: readonly string[];
  /** Who has asked for the step, and why. */
  readonly by: string;
  readonly reason?: string | undefined;
  readonly at: string;
  /** When the request expires. */
  readonly until: string;
};

/** The state of one migration. It is always replaced as a whole, by compare-and-set on `rev`. All instants are texts in UTC. */
export type MigrationState = Position & {
  readonly resource: string;
  /** The names of both sources. A later migration of the resource between other sources has a state of its own. */
  readonly sources: readonly [legacy: string, new: string];
  /** Rises by one with each change. While it is 0, no change was made and the stage in the file counts. */
  readonly rev: number;
  /** Whether `create` has checked that both sources have the same records; absent in states of earlier versions. See `hasBegun`. */
  readonly isBegun?: boolean | undefined;
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
  /** The unmet conditions of the step to this position, if an operator forced it. They count if `at` is `since`. */
  readonly forced?: { readonly at: string; readonly over: readonly string[] } | undefined;
  /** The step that waits for an approval; any other step, a hold and a rollback end it. See `pendingStep`. */
  readonly pending?: PendingStep | undefined;
  /** When the comparison counts began. */
  readonly evidenceSince: string;
  /** When a changed source file made the counts begin anew; absent if an operator or a rollback made them. */
  readonly sourceChangedAt?: string | undefined;
  readonly lastRollback: Rollback | null;
  /** When a failure drill last worked; absent if none has with these counts. */
  readonly rehearsedAt?: string | undefined;
  /** Present while a failure drill runs. Until `until`, this percentage of the comparison calls fails on purpose. */
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

/** Whether a migration has begun. No other change stands in for `create`, not even one that leaves `rev` above 0. */
export function hasBegun({ isBegun, rev, stage }: MigrationState): boolean {
  return isBegun ?? (rev > 0 && stage !== 'legacy');
}

/** The unmet conditions of the step to the present position; empty if it was not forced. */
export function forcedOver({ forced, since }: Pick<MigrationState, 'forced' | 'since'>): readonly string[] {
  return forced?.at === since ? forced.over : [];
}

/** The step that waits for an approval at `now` (ms since the epoch); `undefined` if there is none. */
export function pendingStep({ pending }: MigrationState, now: number): PendingStep | undefined {
  return pending !== undefined && now < Date.parse(pending.until) ? pending : undefined;
}

/** A position as text: `shadow`, `ramp:5`, `live`. */
export function positionText({ stage, percent }: Position): string {
  return stage === 'ramp' ? `ramp:${percent}` : stage;
}
