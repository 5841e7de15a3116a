// The interface of the store of all states of migrations.

import type { DeclaredMigration } from './declared-migration.ts';
import type { MigrationState } from './migration-state.ts';

/** The outcome of a change. `conflict`: somebody else has changed the state first. */
export type StateChange =
  | { readonly kind: 'changed'; readonly state: MigrationState }
  | { readonly kind: 'conflict'; readonly state: MigrationState };

/** Which processes have the newest state. */
export type AcknowledgedState = {
  readonly total: number;
  readonly atRev: number;
  /** The names of the processes that do not have it yet, such as `host-1:4711`. */
  readonly stale: readonly string[];
};

/**
 * The states of all migrations. `redis-states.ts` keeps them in Redis for a fleet, `state-replica.ts` in this process and in
 * `state.dir`.
 */
export type MigrationStateStore = {
  /** Sets the migrations of the configuration in force. A migration that is no longer declared has no state. */
  declare(all: readonly DeclaredMigration[]): void;
  /**
   * The state of a resource that this process uses, also while Redis fails. It never waits. A declared migration always has
   * a state; if none is kept, its `rev` is 0 and the stage in the file counts.
   */
  current(resource: string): MigrationState | undefined;
  /**
   * The state that all processes share, as this process last read it. It differs from `current` if an operator has rolled back
   * only this process. The judge and all changes use the shared one, so that such a rollback does not spread.
   */
  shared(resource: string): MigrationState | undefined;
  /**
   * Replaces the state if its `rev` is still `expected.rev`; `next` gets the following `rev`.
   * @throws Error if Redis fails. Then the state may or may not have changed; the next read shows it
   */
  change(expected: MigrationState, next: Omit<MigrationState, 'rev'>): Promise<StateChange>;
  /**
   * Rolls back only this process, while Redis is down. It lasts until a resume, or until the shared state sends no more callers
   * to the new source than this one. Any other change, such as of a rule, must not send callers back to that source.
   */
  rollBackHere(next: MigrationState): void;
  /** Ends the rollback of this process, if there is one. */
  endLocalRollback(resource: string): void;
  /** Calls back after each change of `current`. Returns the function that ends that. */
  onChange(listener: (state: MigrationState) => void): () => void;
  /** Reads now what other processes have changed. Never rejects. */
  refresh(): Promise<void>;
  /** @throws Error if Redis fails */
  acknowledged(resource: string): Promise<AcknowledgedState>;
  /** Seconds since this process last read the state from Redis; 0 without Redis. */
  staleSeconds(): number;
  close(): void;
};
