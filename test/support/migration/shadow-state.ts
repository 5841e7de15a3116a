import type { Stage } from '../../../src/config/schema/migration.ts';
import type { MigrationState } from '../../../src/migration/state/migration-state.ts';

const BEGUN = '2026-01-01T00:00:00.000Z';

/** The state of a migration of users in a stage. */
export function shadowState(stage: Stage, change: Partial<MigrationState> = {}): MigrationState {
  return {
    ...{ resource: 'users', rev: 1, stage, percent: 0, operations: {}, salt: 's', generation: 1 },
    ...{ evidence: 'e', digests: ['a', 'b'], since: BEGUN, evidenceSince: BEGUN, lastRollback: null },
    ...{ rules: [], acknowledged: [] },
    ...change,
  };
}
