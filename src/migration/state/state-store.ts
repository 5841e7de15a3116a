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

/**
 * The interface of the states of all migrations: `redis-states.ts` keeps them in Redis for a fleet, `state-replica.ts` in this
 * process and in `state.dir`.
 */
export type MigrationStateStore = {
  /** Says which migrations the configuration in force has. One that is no longer declared has no state. */
  declare(all: readonly DeclaredMigration[]): void;
  /**
   * The state of a resource as this process last learnt it, also while Redis fails. It never waits. A declared migration
   * always has one; its `rev` is 0 where no state is kept and the stage of the file counts.
   */
  current(resource: string): MigrationState | undefined;
  /**
   * The state that all processes share, as this process last learnt it. It is not `current` where an operator has rolled back
   * this process alone. What is judged and changed is this one: a change must not spread a rollback that was made for one
   * process.
   */
  shared(resource: string): MigrationState | undefined;
  /**
   * Replaces the state if its `rev` is still `expected.rev`; `next` gets the following `rev`.
   * @throws Error where Redis fails. Then it is unknown whether the state was changed; the next read shows it
   */
  change(expected: MigrationState, next: Omit<MigrationState, 'rev'>): Promise<StateChange>;
  /**
   * Rolls this process alone back, for a time while Redis is gone. That lasts until a resume, or until a change of the fleet
   * sends no more callers to the new source than this does: any other change, such as of a rule, must not send callers back
   * to a source that an operator has taken them from.
   */
  rollBackHere(next: MigrationState): void;
  /** Ends what `rollBackHere` has begun, if it has. */
  endLocalRollback(resource: string): void;
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
