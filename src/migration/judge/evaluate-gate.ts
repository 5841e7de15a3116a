// Reads the facts of a gate from the stores, and evaluates it.

import type { Clock } from '../../kernel/clock.ts';
import type { MigrationCounts } from '../counts/migration-counts.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import { type Gate, gateOf } from './gate.ts';
import type { GateFacts } from './gate-facts.ts';
import type { JudgeMemory } from './judge-memory.ts';
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

/** Where the facts of a gate are read: `memory` has the CUSUM of failures. */
export type GateEvaluatorDeps = {
  /** The migrations that the configuration in force declares. */
  readonly declared: () => readonly JudgedMigration[];
  readonly states: Pick<MigrationStateStore, 'shared'>;
  readonly counts: Pick<MigrationCounts, 'read'>;
  readonly memory: Pick<JudgeMemory, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Reads the facts of a gate, and evaluates it. */
export type GateEvaluator = ReturnType<typeof createGateEvaluator>;

/** Creates the evaluator. Its functions throw an Error if Redis fails, or no such migration is declared. */
export function createGateEvaluator(deps: GateEvaluatorDeps) {
  const { declared, states, counts, memory, clock } = deps;

  /** The facts for the gate of a resource, or of one operation. */
  async function facts(resource: string, operation?: string): Promise<GateFacts> {
    const migration = declared().find((one) => one.resource === resource);
    const state = states.shared(resource);
    if (migration === undefined || state === undefined) throw new Error(`${resource} does not move`);
    const [found, known] = await Promise.all([counts.read(resource), memory.read(resource)]);
    const { operations = {}, noise = {} } = known ?? {};
    const cusum = Object.fromEntries(Object.entries(operations).map(([name, one]) => [name, one.cusum]));
    return { ...{ ...migration, state, operation, counts: found }, ...{ cusum, noise, now: clock.now() } };
  }

  const gate = async (...asked: Parameters<typeof facts>): Promise<Gate> => gateOf(await facts(...asked));
  return { facts, gate };
}
