// Gathers the facts of a gate from the stores and the external gate, and evaluates it.

import type { Clock } from '../../kernel/clock.ts';
import type { MigrationEvidence } from '../evidence/evidence.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import { type Gate, gateOf } from './gate.ts';
import type { JudgedMigration } from './judged-migration.ts';
import type { JudgeMemory } from './judge-memory.ts';
import type { NoiseMemory } from './transient-rules.ts';

/** Asks an external gate. Resolves with its status, such as `200`, or with the reason why it gave none. Never rejects. */
export type AskExternalGate = (url: string) => Promise<string>;

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
  readonly askExternalGate: AskExternalGate;
};

/** Reads the facts of a gate, and evaluates it. */
export type GateEvaluator = {
  /**
   * The gate of a resource, or of one operation. The external gate is asked only where all other conditions are met.
   * @throws Error where Redis fails, or no such migration is declared
   */
  gate(resource: string, operation?: string): Promise<Gate>;
  /** The CUSUM of failures by operation. @throws Error where Redis fails */
  cusum(resource: string): Promise<Readonly<Record<string, number>>>;
  /** How often writes explain that an answer differs once, by operation. @throws Error where Redis fails */
  noise(resource: string): Promise<Readonly<Record<string, NoiseMemory>>>;
};

/** Creates the evaluator. */
export function createGateEvaluator(deps: GateEvaluatorDeps): GateEvaluator {
  const { declared, states, evidence, memory, clock, askExternalGate } = deps;

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
      const facts = {
        ...{ ...migration, state, operation, evidence: found },
        ...{ cusum: failures, noise: measured, now: clock.now() },
      };
      const { external } = migration.config.gate;
      if (external === undefined) return gateOf(facts);
      const isAllElseMet = gateOf({ ...facts, external: '200' }).ready;
      return gateOf({ ...facts, external: isAllElseMet ? await askExternalGate(external) : undefined });
    },
  };
}

/** How long the judge uses an answer of an external gate again. */
const ANSWER_MS = 30_000;

/** Wraps `ask`, and reuses an answer for a while: the judge looks every two seconds, and must not call that often. */
export function createCachedExternalGate(ask: AskExternalGate, clock: Pick<Clock, 'now'>): AskExternalGate {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<string> }>();
  return function askRarely(url) {
    const known = answers.get(url);
    if (known !== undefined && clock.now() - known.at < ANSWER_MS) return known.answer;
    const answer = ask(url);
    answers.set(url, { at: clock.now(), answer });
    return answer;
  };
}
