// The type of the state of one migration.

import type { MigrationStage } from '../../config/schema/migration-stages.ts';

/** Where a resource, or one operation of it, is on its way. */
export type Position = {
  readonly stage: MigrationStage;
  /** The share of the ramp in percent, in steps of 0.01; 0 in other stages. */
  readonly percent: number;
};

/** A rule that was made while the gateway runs; it adds to those of the file. */
export type RuntimeRule = {
  readonly id: string;
  readonly path: string;
  /** Absent: every difference at the path. See `differenceHints`. */
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
  /** `failures`, `difference`, `transient`, `latency`, or `asked`. */
  readonly rule: 'failures' | 'difference' | 'transient' | 'latency' | 'asked';
  readonly from: Position;
  /** What it rests on, in a few words and figures: never a value of a record. */
  readonly evidence: string;
};

/** What both sources say at the edges of what may be asked. */
export type EdgeCaseResult = {
  /** Edges that were compared, and those at which the sources differ or only the legacy one has an answer. */
  readonly asked: number;
  readonly different: number;
  /** Some of the latter, such as `page past the end`. */
  readonly named: readonly string[];
  /** The kinds of question, see `queryKind`, that lie beyond the bounds of the new source. */
  readonly refused: readonly { readonly operation: string; readonly kind: string }[];
};

/** The state of one migration. It is replaced as a whole, by compare-and-set on `rev`. All instants are texts in UTC. */
export type MigrationState = Position & {
  readonly resource: string;
  /** The names of both sources. A later migration of the resource between other sources has a state of its own. */
  readonly sources: readonly [legacy: string, new: string];
  /** Rises by one with each change. 0: no change was made yet, and the stage of the file counts. */
  readonly rev: number;
  /** Operations that are elsewhere than the resource, such as `users.list`. */
  readonly operations: Readonly<Record<string, Position>>;
  /** Present while the migration is on hold: then no step forward is possible, by an operator or by the judge. */
  readonly hold?: { readonly by: string; readonly at: string; readonly reason: string } | undefined;
  /** The salt of the buckets. It survives rollbacks, so that a ramp reaches the same callers first again. */
  readonly salt: string;
  /**
   * Part of the key of everything that is cached of the new source. A rollback raises it, and so drops all of that at once.
   */
  readonly generation: number;
  /** The name of the evidence that counts. A change of a source file begins a new one. */
  readonly evidence: string;
  /** The digests of the legacy source and the new one that the evidence is about. */
  readonly digests: readonly [legacy: string, new: string];
  /** When this stage and share began. */
  readonly since: string;
  /** When the evidence began. */
  readonly evidenceSince: string;
  /** When it began anew because the file of a source had changed; absent: not since somebody has begun it himself. */
  readonly sourceChangedAt?: string | undefined;
  readonly lastRollback: Rollback | null;
  /** When a rehearsed rollback last worked; absent: never with this evidence. */
  readonly rehearsedAt?: string | undefined;
  /** Present while a rehearsal runs: until then, this percentage of the comparison calls is made to fail. */
  readonly rehearsal?: { readonly until: string; readonly percent: number } | undefined;
  /** The last walk over all records with this evidence. */
  readonly walk?: { readonly at: string; readonly records: number; readonly differences: number } | undefined;
  /** The last look at the edges with this evidence, see `EdgeCaseResult`. */
  readonly edges?: (EdgeCaseResult & { readonly at: string }) | undefined;
  readonly rules: readonly RuntimeRule[];
  /** The ids of the ignore rules that somebody has acknowledged by name, as `complete` asks. */
  readonly acknowledged: readonly string[];
};

/** The position of an operation: its own where it has one, else that of the resource. */
export function positionOf(state: MigrationState, operation?: string): Position {
  return (operation === undefined ? undefined : state.operations[operation]) ?? state;
}

/** A position as commands and answers write it: `shadow`, `ramp:5`, `live`. */
export function positionText({ stage, percent }: Position): string {
  return stage === 'ramp' ? `ramp:${percent}` : stage;
}
