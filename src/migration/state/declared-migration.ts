// The part of a migration that the configuration declares, and the state with which the migration begins.

import { hash } from 'node:crypto';
import type { MigrationState, Position } from './migration-state.ts';

/** A migration as the configuration declares it. */
export type DeclaredMigration = {
  readonly resource: string;
  /** The names of both sources. */
  readonly sources: readonly [legacy: string, new: string];
  /** Digests of the content of both source files. */
  readonly digests: readonly [legacy: string, new: string];
  /** The stage and share in the file. They count if no state is stored, and without Redis also when they change. */
  readonly position: Position;
};

const shortHash = (texts: readonly string[]) => hash('sha256', texts.join('\n')).slice(0, 12);

/** The name of the comparison counts that begin with the state `rev`. */
export function countsName(digests: DeclaredMigration['digests'], rev: number): string {
  return `${shortHash(digests)}-${rev}`;
}

/**
 * The state of a migration for which no state is stored; `at` is an instant in UTC. It depends only on the configuration, so all
 * processes compute the same state, even if they cannot reach each other. The salt is made from the names, so each process sends
 * a caller to the same source.
 */
export function initialState(
  { resource, sources, digests, position }: DeclaredMigration,
  at: string,
): MigrationState {
  return {
    ...{ resource, sources, rev: 0, ...position, isBegun: false, operations: {} },
    ...{ salt: shortHash([resource, ...sources]), generation: 1 },
    ...{ evidence: countsName(digests, 0), digests, since: at, evidenceSince: at },
    ...{ lastRollback: null, rules: [], acknowledged: [] },
  };
}
