// Reads the facts of a gate from the stores, and evaluates it.

import type { Clock } from '../../kernel/clock.ts';
import type { MigrationCounts } from '../counts/migration-counts.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import type { Position } from '../state/migration-state.ts';
import type { Preview } from '../tasks/task-results.ts';
import { type Gate, gateOf } from './gate.ts';
import type { GateFacts } from './gate-facts.ts';
import type { JudgeMemory } from './judge-memory.ts';
import { nextPosition } from './next-position.ts';
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
  /** Whom a share reaches. Rejects if Redis fails. */
  readonly preview: (resource: string, percent: number) => Promise<Preview>;
  readonly clock: Pick<Clock, 'now'>;
};

/** The judge and each open page look every few seconds, and whom a share reaches comes from the traffic of an hour. */
const REACH_MS = 30_000;

/** Makes the function that says whom a step reaches: a step that is asked for by the present callers, else lately. */
function createReach({ preview, clock }: Pick<GateEvaluatorDeps, 'preview' | 'clock'>) {
  const known = new Map<string, { readonly at: number; readonly reach: Preview }>();
  return async function reachOf(resource: string, { stage, percent }: Position, isAsked: boolean) {
    if (stage !== 'ramp') return undefined;
    const name = `${resource} ${percent}`;
    const lately = known.get(name);
    if (!isAsked && lately !== undefined && clock.now() - lately.at < REACH_MS) return lately.reach;
    const reach = await preview(resource, percent);
    known.set(name, { at: clock.now(), reach });
    return reach;
  };
}

/** Reads the facts of a gate, and evaluates it. */
export type GateEvaluator = ReturnType<typeof createGateEvaluator>;

/** Creates the evaluator. Its functions throw an Error if Redis fails, or no such migration is declared. */
export function createGateEvaluator(deps: GateEvaluatorDeps) {
  const { declared, states, counts, memory, clock } = deps;
  const reachOf = createReach(deps);

  /** The facts for the gate of a resource, or of one operation, before the step to `to`, else the next one. */
  async function facts(resource: string, operation?: string, to?: Position): Promise<GateFacts> {
    const migration = declared().find((one) => one.resource === resource);
    const state = states.shared(resource);
    if (migration === undefined || state === undefined) throw new Error(`${resource} does not move`);
    const step = to ?? nextPosition(migration.config, state, operation);
    const [found, known, reach] = await Promise.all([
      counts.read(resource),
      memory.read(resource),
      step && reachOf(resource, step, to !== undefined),
    ]);
    const { operations = {}, noise = {} } = known ?? {};
    const cusum = Object.fromEntries(Object.entries(operations).map(([name, one]) => [name, one.cusum]));
    return {
      ...migration,
      ...{ state, operation, counts: found },
      ...{ cusum, noise, reach, now: clock.now() },
    };
  }

  const gate = async (...asked: Parameters<typeof facts>): Promise<Gate> => gateOf(await facts(...asked));
  return { facts, gate };
}
