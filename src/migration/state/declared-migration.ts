// What the configuration says of a migration, and the state that it begins with.

import { hash } from 'node:crypto';
import type { MigrationState, Position } from './migration-state.ts';

/** The sources, their digests, and the position that the configuration gives a migration. */
export type DeclaredMigration = {
  readonly resource: string;
  /** The names of the sources. */
  readonly sources: readonly [legacy: string, new: string];
  /** Digests of the content of both source files. */
  readonly digests: readonly [legacy: string, new: string];
  /**
   * The stage and share from the file. They count at a start that finds no kept state; without Redis, also when they
   * change.
   */
  readonly position: Position;
};

const shortHash = (texts: readonly string[]) => hash('sha256', texts.join('\n')).slice(0, 12);

/** The name of the evidence about two source files that begins with the state `rev`. */
export function countsName(digests: DeclaredMigration['digests'], rev: number): string {
  return `${shortHash(digests)}-${rev}`;
}

/**
 * The state of a migration for which no state is kept. It depends on the configuration only, so that processes which cannot
 * reach each other compute the same one. In particular its salt is made from the names: so a caller gets the same source
 * from each process, also without Redis.
 */
export function initialState(
  { resource, sources, digests, position }: DeclaredMigration,
  at: string,
): MigrationState {
  return {
    resource,
    sources,
    rev: 0,
    ...position,
    operations: {},
    salt: shortHash([resource, ...sources]),
    generation: 1,
    evidence: countsName(digests, 0),
    digests,
    since: at,
    evidenceSince: at,
    lastRollback: null,
    rules: [],
    acknowledged: [],
  };
}
