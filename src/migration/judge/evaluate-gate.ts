// Gathers the facts of a gate from the stores, and evaluates it.

import type { Clock } from '../../kernel/clock.ts';
import type { MigrationEvidence } from '../evidence/evidence.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import { type Gate, gateOf } from './gate.ts';
import type { JudgeMemory } from './judge-memory.ts';
import type { NoiseMemory } from './transient-rules.ts';
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

/**
 * Where the facts of a gate stand: the configuration in `declared`, the position in `states`, the comparisons in
 * `evidence`, the CUSUM of failures in `memory`.
 */
export type GateEvaluatorDeps = {
  /** The migrations that the configuration in force declares. */
  readonly declared: () => readonly JudgedMigration[];
  readonly states: Pick<MigrationStateStore, 'shared'>;
  readonly evidence: Pick<MigrationEvidence, 'read'>;
  readonly memory: Pick<JudgeMemory, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Reads the facts of a gate, and evaluates it. */
export type GateEvaluator = {
  /** The gate of a resource, or of one operation. @throws Error if Redis fails, or no such migration is declared */
  gate(resource: string, operation?: string): Promise<Gate>;
  /** The CUSUM of failures by operation. @throws Error where Redis fails */
  cusum(resource: string): Promise<Readonly<Record<string, number>>>;
  /** How often writes explain that an answer differs once, by operation. @throws Error where Redis fails */
  noise(resource: string): Promise<Readonly<Record<string, NoiseMemory>>>;
};

/** Creates the evaluator. */
export function createGateEvaluator(deps: GateEvaluatorDeps): GateEvaluator {
  const { declared, states, evidence, memory, clock } = deps;

  async function cusum(resource: string): Promise<Readonly<Record<string, number>>> {
    const known = await memory.read(resource);
    return Object.fromEntries(
      Object.entries(known?.operations ?? {}).map(([operation, one]) => [operation, one.cusum]),
    );
  }

  const noise: GateEvaluator['noise'] = async (resource) => (await memory.read(resource))?.noise ?? {};

  return {
    cusum,
    noise,
    async gate(resource, operation) {
      const migration = declared().find((one) => one.resource === resource);
      const state = states.shared(resource);
      if (migration === undefined || state === undefined) throw new Error(`${resource} does not move`);
      const [found, failures, measured] = await Promise.all([
        evidence.read(resource),
        cusum(resource),
        noise(resource),
      ]);
      return gateOf({
        ...{ ...migration, state, operation, evidence: found },
        ...{ cusum: failures, noise: measured, now: clock.now() },
      });
    },
  };
}
