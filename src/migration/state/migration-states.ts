// The interface of the states of all migrations.

import type { DeclaredMigration } from './declared-migration.ts';
import type { MigrationState } from './migration-state.ts';

/** The outcome of a change. `conflict`: somebody else has changed the state first. */
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
   * The state of a resource as this process last learnt it, also while Redis fails. It never waits. A declared migration
   * always has one; its `rev` is 0 where no state is kept and the stage of the file counts.
   */
  current(resource: string): MigrationState | undefined;
  /**
   * Replaces the state if its `rev` is still `expected.rev`; `next` gets the following `rev`.
   * @throws Error where Redis fails. Then it is unknown whether the state was changed; the next read shows it
   */
  change(expected: MigrationState, next: Omit<MigrationState, 'rev'>): Promise<StateChange>;
  /** Changes the state in this process alone, until the next change of the fleet: for a rollback while Redis is gone. */
  override(next: MigrationState): void;
  /** Calls back after each change of what `current` returns. Returns what ends that. */
  onChange(listener: (state: MigrationState) => void): () => void;
  /** Reads at once what other processes have changed. Never rejects. */
  refresh(): Promise<void>;
  /** @throws Error where Redis fails */
  acknowledged(resource: string): Promise<AcknowledgedState>;
  /** Seconds since this process last read the state from Redis; 0 without Redis. */
  staleSeconds(): number;
  close(): void;
};
