// What the configuration says of a migration, and the state that it begins with.

import { hash } from 'node:crypto';
import type { MigrationState, Position } from './migration-state.ts';

/** What the configuration says of one migration. */
export type DeclaredMigration = {
  readonly resource: string;
  /** The names of the sources. */
  readonly sources: readonly [legacy: string, new: string];
  /** Of what the files of both sources say. */
  readonly digests: readonly [legacy: string, new: string];
  /** The stage and share of a start that finds no kept state; without Redis, of a file that has changed. */
  readonly position: Position;
};

const shortHash = (texts: readonly string[]) => hash('sha256', texts.join('\n')).slice(0, 12);

/** Names the evidence about two files, as it begins with the state of a `rev`. */
export function evidenceName(digests: DeclaredMigration['digests'], rev: number): string {
  return `${shortHash(digests)}-${rev}`;
}

/**
 * The state of a migration of which nothing is kept. Processes that know nothing of each other come to the same one: the
 * salt is made of the names, so that a caller stays with one source also where Redis is gone.
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
    evidence: evidenceName(digests, 0),
    digests,
    since: at,
    evidenceSince: at,
    lastRollback: null,
    rules: [],
    acknowledged: [],
  };
}
