import type { MigrationConfig } from '../../config/schema/migration.ts';
import type { Rollback } from '../state/migration-state.ts';

/** A migration as the configuration in force declares it. */
export type JudgedMigration = {
  readonly resource: string;
  /** Such as `users.list`. */
  readonly operations: readonly string[];
  readonly config: MigrationConfig;
  /** How long answers are cached, in milliseconds. */
  readonly freshMs: number;
};

/** What the metrics show of the judge. */
export type JudgeMetrics = {
  migrationCusum(resource: string, operation: string, cusum: number): void;
  migrationGate(resource: string, isReady: boolean): void;
  migrationRollback(resource: string, rule: Rollback['rule'] | 'rehearsal'): void;
  /** This process does not judge now: what it knows is not the fleet's. */
  forgetJudgement(): void;
};
