// The interface of the states of all migrations.

import type { DeclaredMigration } from './declared-migration.ts';
import type { MigrationState } from './migration-state.ts';

/** What became of a change: somebody else was first where it is a conflict. */
export type StateChange =
  | { readonly kind: 'changed'; readonly state: MigrationState }
  | { readonly kind: 'conflict'; readonly state: MigrationState };

/** Which processes have taken over the state. */
export type AcknowledgedState = {
  readonly total: number;
  readonly atRev: number;
  /** The names of the processes that have not, such as `host-1:4711`. */
  readonly stale: readonly string[];
};

/** The states of all migrations: in Redis for a fleet, else in this process and in `state.dir`. */
export type MigrationStates = {
  /** Says which migrations the configuration in force has. One that is no longer declared has no state. */
  declare(all: readonly DeclaredMigration[]): void;
  /**
   * The state of a resource in this process: what was last learnt, whatever Redis does. Never waits. Of a declared migration
   * there always is one; its `rev` is 0 where nothing is kept and the file's stage counts.
   */
  current(resource: string): MigrationState | undefined;
  /**
   * Replaces the state if its `rev` is still `expected.rev`; `next` gets the following `rev`.
   * @throws Error where Redis fails: whether it was changed is not known then, and the next reading tells
   */
  change(expected: MigrationState, next: Omit<MigrationState, 'rev'>): Promise<StateChange>;
  /** Changes this process alone, until the next change of the fleet: a rollback while Redis is gone. */
  override(next: MigrationState): void;
  /** Calls back after each change of what `current` returns. Returns what ends that. */
  onChange(listener: (state: MigrationState) => void): () => void;
  /** Learns what other processes have changed, at once. Never rejects. */
  refresh(): Promise<void>;
  /** @throws Error where Redis fails */
  acknowledged(resource: string): Promise<AcknowledgedState>;
  /** Seconds since the state was last known to be the fleet's; 0 without Redis. */
  staleSeconds(): number;
  close(): void;
};
