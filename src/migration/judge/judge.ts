// Looks at all migrations every two seconds: rolls back, holds, sends events, and promotes where that is automatic.

import { isDeepStrictEqual } from 'node:util';
import type { MigrationCounts } from '../counts/migration-counts.ts';
import { type MigrationState, positionOf } from '../state/migration-state.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import {
  createOwnJudgement,
  createPromotion,
  createDecisionActions,
  type OwnJudgementDeps,
  type DecisionDeps,
} from './carry-out-decision.ts';
import { type AnnouncedState, announcedStateOf, eventsSince } from '../notify/migration-events.ts';
import {
  createGateEvaluator,
  type GateEvaluator,
  type GateEvaluatorDeps,
  type JudgedMigration,
} from './evaluate-gate.ts';
import { createReportTransients, judgeOperations } from './judge-operations.ts';
import type { JudgeMemory } from './judge-memory.ts';
import type { Webhooks } from '../../telemetry/webhooks/webhooks.ts';
import type { JudgeDecision } from './rollback-rules.ts';

/** What the metrics show of the judge. */
export type JudgeMetrics = DecisionDeps['metrics'] & {
  migrationCusum(resource: string, operation: string, cusum: number): void;
  /** Whether more answers of the new source differ once than writes explain. */
  migrationTransient(resource: string, operation: string, isExceeded: boolean): void;
  /** How many processes serve by the last state. */
  migrationReplicas(resource: string, replicas: number): void;
  /**
   * Forgets the figures of a migration of which nothing is judged any more; without one, those of all: where this process
   * does not judge, the figures that it has are not those of the fleet.
   */
  forgetJudgement(ended?: Pick<JudgedMigration, 'resource' | 'operations'>): void;
};

/** `memory` also holds the lock by which one process of the fleet is the judge; the others try for it at each look. */
export type JudgeDeps = DecisionDeps &
  OwnJudgementDeps &
  GateEvaluatorDeps & {
    readonly metrics: JudgeMetrics;
    readonly states: Pick<MigrationStateStore, 'shared' | 'change' | 'acknowledged'>;
    readonly counts: Pick<MigrationCounts, 'read'>;
    readonly memory: JudgeMemory;
    readonly webhooks: Pick<Webhooks, 'tell'>;
  };

/** Judges the migrations of a fleet. At each time one process of the fleet does that. */
export type Judge = GateEvaluator & {
  /** Looks at all migrations once. It never rejects. */
  look(): Promise<void>;
  /** Looks every two seconds from now on. */
  start(): void;
  /** Stops looking, and lets another process judge. */
  close(): Promise<void>;
};

const LOOK_MS = 2_000;

/** Names the counts that are judged together: those since the present stage and share began. */
const stepOf = ({ evidence, since }: MigrationState) => `${evidence}|${since}`;

/** Whether there is something to judge: comparisons run, or the new source may serve callers. */
function isUnderWay(state: MigrationState): boolean {
  const positions = [state, ...Object.values(state.operations)];
  return positions.some(({ stage }) => stage !== 'legacy' && stage !== 'complete');
}

/**
 * The most serious decision among the operations that the new source serves: a rollback before a hold. Most often there is
 * none.
 */
function mostSerious<T extends { readonly operation: string; readonly decision: JudgeDecision }>(
  state: MigrationState,
  judged: readonly T[],
): T | undefined {
  const serving = judged.filter(({ operation }) =>
    ['ramp', 'live'].includes(positionOf(state, operation).stage),
  );
  return (
    serving.find(({ decision }) => decision.kind === 'roll_back') ??
    serving.find(({ decision }) => decision.kind === 'hold')
  );
}

/** What of a migration was ready at the last look: the names of operations; `undefined` stands for the resource. */
type ReadyGates = ReadonlySet<string | undefined>;

/** Makes the function that sends events for what has changed since `before`; it returns the state that is announced now. */
function createAnnounce(webhooks: JudgeDeps['webhooks'], ready: ReadonlyMap<string, ReadyGates>) {
  return function announce(
    { resource }: JudgedMigration,
    state: MigrationState,
    before?: AnnouncedState,
  ): AnnouncedState {
    const wasReady = (operation?: string) =>
      (operation === undefined ? before : before?.operations?.[operation])?.isReady ?? false;
    const now = announcedStateOf(
      state,
      (operation) => ready.get(resource)?.has(operation) ?? wasReady(operation),
    );
    for (const { type, ...data } of eventsSince(before, now, state))
      webhooks.tell({ type, subject: `migration:${resource}`, data });
    return now;
  };
}

/** The operations with a position of their own whose gate is ready. @throws Error where Redis fails */
async function readyOperations(
  gates: Pick<GateEvaluator, 'gate'>,
  { resource, operations }: JudgedMigration,
  state: MigrationState,
): Promise<readonly string[]> {
  const apart = operations.filter((one) => state.operations[one] !== undefined);
  const ready = await Promise.all(apart.map(async (one) => (await gates.gate(resource, one)).ready));
  return apart.filter((_one, index) => ready[index]);
}

/** Makes the function that judges one migration. It returns whether there is something to judge. */
function createJudgement(
  deps: JudgeDeps,
  gates: GateEvaluator,
): (migration: JudgedMigration) => Promise<boolean> {
  const { states, counts, memory, metrics, clock, webhooks } = deps;
  const decisions = createDecisionActions(deps);
  const promote = createPromotion(gates, decisions, metrics);
  const judgeByOwnQuestions = createOwnJudgement(deps);
  const reportTransients = createReportTransients(deps);

  const ready = new Map<string, ReadyGates>();
  const announce = createAnnounce(webhooks, ready);

  return async function judge(migration) {
    const { resource } = migration;
    const state = states.shared(resource);
    if (state === undefined) return false;
    const [known, { atRev }] = await Promise.all([memory.read(resource), states.acknowledged(resource)]);
    metrics.migrationReplicas(resource, atRev);
    const announced = announce(migration, state, known?.announced);
    const before = known?.step === stepOf(state) ? known.operations : {};
    const noiseBefore = known?.step.startsWith(`${state.evidence}|`) === true ? known.noise : undefined;
    if (!isUnderWay(state)) {
      ready.delete(resource);
      if (!isDeepStrictEqual(announced, known?.announced))
        await memory.write(resource, { step: stepOf(state), operations: {}, announced });
      return false;
    }
    const found = await counts.read(resource);
    const memories = { operations: before, noise: noiseBefore };
    const judged = await Promise.all(
      judgeOperations(migration, memories, found, clock.now()).map((one) =>
        judgeByOwnQuestions(resource, one, found[one.operation]?.failing),
      ),
    );
    const operations = Object.fromEntries(judged.map((one) => [one.operation, one.memory]));
    const noise = Object.fromEntries(judged.map((one) => [one.operation, one.noise]));
    // The memory is written first: a decision that cannot be carried out now comes again at the next look.
    await memory.write(resource, { step: stepOf(state), operations, noise, announced });
    reportTransients(migration, state, judged, before);
    for (const one of judged) metrics.migrationCusum(resource, one.operation, one.memory.cusum);
    const serious = mostSerious(state, judged);
    if (serious !== undefined) await decisions.carryOut(state, serious.operation, serious.decision);
    if (serious?.decision.kind === 'roll_back') return true;
    await decisions.endDrill(
      state,
      judged.map((one) => one.memory),
    );
    const apart = await readyOperations(gates, migration, state);
    ready.set(resource, new Set((await promote(migration, state)) ? [undefined, ...apart] : apart));
    return true;
  };
}

/** Creates the judge of a process. It does nothing before `start`. */
export function createJudge(deps: JudgeDeps): Judge {
  const { declared, memory, metrics, log } = deps;
  const gates = createGateEvaluator(deps);
  const judge = createJudgement(deps, gates);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isFailing = false;
  /** The migrations whose figures the metrics show. */
  let shown: readonly JudgedMigration[] = [];

  /** Judges all. A migration that has ended or is no longer declared goes from the metrics: else its alert stays. */
  async function judgeAll(migrations: readonly JudgedMigration[]): Promise<void> {
    const looks = migrations.map(async (one) => ((await judge(one)) ? [one] : []));
    const judged = (await Promise.all(looks)).flat();
    const resources = new Set(judged.map(({ resource }) => resource));
    for (const one of shown) if (!resources.has(one.resource)) metrics.forgetJudgement(one);
    shown = judged;
  }

  async function lookOnce(): Promise<void> {
    const migrations = declared();
    try {
      if (migrations.length > 0 && (await memory.acquireLeadership())) await judgeAll(migrations);
      else metrics.forgetJudgement();
      isFailing = false;
    } catch (error) {
      // Without Redis no process knows the counts of the fleet. Each process is then protected by its own breaker.
      metrics.forgetJudgement();
      if (!isFailing)
        log.warn({ problem: String(error) }, 'the migrations cannot be judged now; each look tries again');
      isFailing = true;
    }
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => (looking = undefined));
    return looking;
  }

  return {
    ...gates,
    look,
    start() {
      timer ??= setInterval(() => void look(), LOOK_MS);
      timer.unref();
    },
    async close() {
      clearInterval(timer);
      await looking;
      await memory.releaseLeadership();
    },
  };
}
