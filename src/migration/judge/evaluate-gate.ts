// Reads the facts of a gate from the stores and evaluates the gate (the conditions of the next step), for judge and operators.

import type { Clock } from '../../kernel/clock.ts';
import type { MigrationCounts } from '../counts/count-comparisons.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import type { Position } from '../state/migration-state.ts';
import type { Preview } from '../tasks/task-results.ts';
import { type Gate, gateOf } from './gate.ts';
import type { GateFacts } from './gate-facts.ts';
import type { JudgeMemory } from './judge-memory.ts';
import { nextPosition } from './next-position.ts';
import type { MigrationConfig } from '../../config/schema/migration.ts';

/** A migration as the judge needs it: its operations, its configuration, and how long answers are cached. */
export type JudgedMigration = {
  readonly resource: string;
  /** The operations of the resource, such as `users.list`. */
  readonly operations: readonly string[];
  readonly config: MigrationConfig;
  /** How long answers are cached, in milliseconds. */
  readonly freshMs: number;
};

/** Where the facts of a gate are read. `memory` has the CUSUM of failures. */
export type GateEvaluatorDeps = {
  /** The migrations that the configuration in force declares. */
  readonly declared: () => readonly JudgedMigration[];
  readonly states: Pick<MigrationStateStore, 'shared'>;
  readonly counts: Pick<MigrationCounts, 'read'>;
  readonly memory: Pick<JudgeMemory, 'read'>;
  /** Counts the callers that a share of the ramp reaches, and tells those of `named` by their ids. Rejects if Redis fails. */
  readonly preview: (resource: string, percent: number, named?: readonly string[]) => Promise<Preview>;
  readonly clock: Pick<Clock, 'now'>;
};

/** A preview is kept for this time, because the judge and each open page look often, and it is read from an hour of traffic. */
const REACH_MS = 30_000;

/** Creates the function that says which callers a step reaches. If somebody asks for that step (`isAsked`), it reads anew. */
function createReach({ preview, clock }: Pick<GateEvaluatorDeps, 'preview' | 'clock'>) {
  const known = new Map<string, { readonly at: number; readonly reach: Preview }>();
  return async function reachOf(
    resource: string,
    { stage, percent }: Position,
    isAsked: boolean,
    named: readonly string[] = [],
  ) {
    if (stage !== 'ramp') return undefined;
    const name = `${resource} ${percent}`;
    const lately = known.get(name);
    if (!isAsked && lately !== undefined && clock.now() - lately.at < REACH_MS) return lately.reach;
    const reach = await preview(resource, percent, named);
    known.set(name, { at: clock.now(), reach });
    return reach;
  };
}

/** Reads the facts of gates and evaluates gates. */
export type GateEvaluator = ReturnType<typeof createGateEvaluator>;

/** Creates the evaluator. Its functions throw an Error if Redis fails, or no such migration is declared. */
export function createGateEvaluator(deps: GateEvaluatorDeps) {
  const { declared, states, counts, memory, clock } = deps;
  const reachOf = createReach(deps);

  /** The facts for the gate of a resource, or of one operation, before the step to `to`; without `to`, before the next step. */
  async function facts(
    resource: string,
    operation?: string,
    to?: Position,
    named?: readonly string[],
  ): Promise<GateFacts> {
    const migration = declared().find((one) => one.resource === resource);
    const state = states.shared(resource);
    if (migration === undefined || state === undefined) throw new Error(`${resource} does not move`);
    const step = to ?? nextPosition(migration.config, state, operation);
    const [found, known, reach] = await Promise.all([
      counts.read(resource),
      memory.read(resource),
      step && reachOf(resource, step, to !== undefined, named),
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
