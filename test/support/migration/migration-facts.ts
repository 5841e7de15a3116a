import { migration, type MigrationConfig } from '../../../src/config/schema/migration.ts';
import type { KeyCounts } from '../../../src/migration/counts/migration-counts.ts';
import { NO_COUNTS, type OperationCounts } from '../../../src/migration/counts/counts-store.ts';
import type { GateFacts } from '../../../src/migration/judge/gate-facts.ts';
import type { MigrationState } from '../../../src/migration/state/migration-state.ts';

/** When the migrations of the tests began: midnight, in milliseconds since the epoch. */
export const BEGAN = Date.UTC(2026, 0, 1);
export const HOUR_MS = 3_600_000;

/** A declared migration of `users`, with what a test says of it. */
export function migrationConfig(declared: object = {}): MigrationConfig {
  return migration.parse({ to: 'people', ...declared });
}

/** A migration in `shadow` that was walked and rehearsed, with what a test says of it. */
export function migrationState(changed: Partial<MigrationState> = {}): MigrationState {
  const began = new Date(BEGAN).toISOString();
  return {
    ...{ resource: 'users', sources: ['crm', 'people'], rev: 3, stage: 'shadow', percent: 0, operations: {} },
    ...{ salt: 'u-7f3a', generation: 1, evidence: 'e1', digests: ['a', 'b'] },
    ...{ since: began, evidenceSince: began, lastRollback: null, rehearsedAt: began },
    walk: { at: began, records: 100_000, differences: 0 },
    edges: { at: began, asked: 26, different: 0, named: [], refused: [] },
    ...{ rules: [], acknowledged: [] },
    ...changed,
  };
}

/** The evidence of an operation at which all is well, over so many distinct questions. */
export function goodEvidence(keys: number, changed: Partial<OperationCounts> = {}): OperationCounts {
  const counts: KeyCounts = { keys, mismatchedKeys: 0 };
  const ms = { '20': keys };
  const compared = { ...counts, match: keys, legacyMs: ms, newMs: ms };
  return {
    ...{ ...NO_COUNTS, ...compared, served: keys, recent: counts },
    step: { ...NO_COUNTS.step, ...compared, served: keys, servedMs: ms },
    ...changed,
  };
}

/** What a gate of `users` is decided from: everything is there for a step out of `shadow` after two days. */
export function gateFacts(changed: Partial<GateFacts> = {}): GateFacts {
  return {
    ...{ config: migrationConfig(), state: migrationState(), operations: ['users.get'] },
    counts: { 'users.get': goodEvidence(2_995) },
    ...{ cusum: {}, noise: {}, freshMs: 30_000, now: BEGAN + 48 * HOUR_MS },
    ...changed,
  };
}
