// The interface of the store of all states of migrations, which the fleet shares.

import type { DeclaredMigration } from './declared-migration.ts';
import type { MigrationState } from './migration-state.ts';

/** The outcome of a change. `conflict`: somebody else has changed the state first. */
export type StateChange =
  | { readonly kind: 'changed'; readonly state: MigrationState }
  | { readonly kind: 'conflict'; readonly state: MigrationState };

/** How many processes run (`total`), and how many of them have the newest state (`atRev`). */
export type AcknowledgedState = {
  readonly total: number;
  readonly atRev: number;
  /** The names of the processes that do not have the newest state yet, such as `host-1:4711`. */
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
   * a state; if none is stored, its `rev` is 0 and the stage in the file counts.
   */
  current(resource: string): MigrationState | undefined;
  /**
   * The state that all processes share, as this process last read it. It differs from `current` if an operator has rolled back
   * only this process. The judge and all changes use the shared state, so that such a rollback does not spread.
   */
  shared(resource: string): MigrationState | undefined;
  /**
   * Replaces the state if its `rev` is still `expected.rev`; `next` gets the following `rev`.
   * @throws Error if Redis fails. Then the state may or may not have changed; the next read shows it
   */
  change(expected: MigrationState, next: Omit<MigrationState, 'rev'>): Promise<StateChange>;
  /**
   * Rolls back only this process, while Redis is down. The rollback lasts until a resume, or until the shared state sends no more
   * callers to the new source than `next`. Any other change, such as of a rule, must not send callers back to the new source.
   */
  rollBackHere(next: MigrationState): void;
  /** Ends the rollback of this process, if there is one. */
  endLocalRollback(resource: string): void;
  /** Calls `listener` after each change of `current`. Returns the function that stops this. */
  onChange(listener: (state: MigrationState) => void): () => void;
  /** Reads the changes of other processes now. Never rejects. */
  refresh(): Promise<void>;
  /** Which processes have the newest state of a resource. @throws Error if Redis fails */
  acknowledged(resource: string): Promise<AcknowledgedState>;
  /** Seconds since this process last read the state from Redis; 0 without Redis. */
  staleSeconds(): number;
  close(): void;
};
