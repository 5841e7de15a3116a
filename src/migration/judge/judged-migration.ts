// What the judge and the report know of a migration from the configuration.

import type { MigrationConfig } from '../../config/schema/migration.ts';

/** What the judge needs of a migration: its operations, its gates, and how long answers are cached. */
export type JudgedMigration = {
  readonly resource: string;
  /** Such as `users.list`. */
  readonly operations: readonly string[];
  readonly config: MigrationConfig;
  /** How long answers are cached, in milliseconds. */
  readonly freshMs: number;
};
