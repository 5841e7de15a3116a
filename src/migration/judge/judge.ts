// The judge. In a round every two seconds, it judges all migrations: rolls back, holds, sends events, steps (`promote: auto`).

import { isDeepStrictEqual } from 'node:util';
import type { MigrationCounts } from '../counts/count-comparisons.ts';
import { type MigrationState, positionOf } from '../state/migration-state.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import {
  createOwnJudgement,
  createPromotion,
  createDecisionExecutor,
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
import { createReportTransients, type Judged, judgeOperations } from './judge-operations.ts';
import type { JudgeMemory } from './judge-memory.ts';
import type { Webhooks } from '../../telemetry/webhooks/webhooks.ts';
import type { JudgeDecision } from './rollback-rules.ts';

/** The metrics to which the judge reports. */
export type JudgeMetrics = DecisionDeps['metrics'] & {
  migrationCusum(resource: string, operation: string, cusum: number): void;
  /** Whether answers of the new source differ once more often than writes explain. */
  migrationTransient(resource: string, operation: string, isExceeded: boolean): void;
  /** How many processes serve by the newest state. */
  migrationReplicas(resource: string, replicas: number): void;
  /** Removes the metrics of an ended migration; without an argument those of all, because another process judges now. */
  forgetJudgement(ended?: Pick<JudgedMigration, 'resource' | 'operations'>): void;
};

/** What the judge needs. `memory` also holds the lock that makes one process of the fleet the judge. */
export type JudgeDeps = DecisionDeps &
  OwnJudgementDeps &
  GateEvaluatorDeps & {
    readonly metrics: JudgeMetrics;
    readonly states: Pick<MigrationStateStore, 'shared' | 'change' | 'acknowledged'>;
    readonly counts: Pick<MigrationCounts, 'read'>;
    readonly memory: JudgeMemory;
    readonly webhooks: Pick<Webhooks, 'tell'>;
  };

const ROUND_MS = 2_000;

/** The name of the present step, whose counts are judged together. */
const stepOf = ({ evidence, since }: MigrationState) => `${evidence}|${since}`;

/** Whether there is something to judge, because comparisons run or the new source may serve callers. */
function isUnderWay(state: MigrationState): boolean {
  const positions = [state, ...Object.values(state.operations)];
  return positions.some(({ stage }) => stage !== 'legacy' && stage !== 'complete');
}

/** The most serious decision about an operation that the new source serves: a rollback, else a hold, else `undefined`. */
function mostSerious(state: MigrationState, judged: readonly Judged[]): Judged | undefined {
  const serving = judged.filter(({ operation }) =>
    ['ramp', 'live'].includes(positionOf(state, operation).stage),
  );
  const find = (kind: JudgeDecision['kind']) => serving.find(({ decision }) => decision.kind === kind);
  return find('roll_back') ?? find('hold');
}

/** The gates of a migration that were ready in the last round: names of operations; `undefined` stands for the resource. */
type ReadyGates = ReadonlySet<string | undefined>;

/** Creates the function that sends an event for each change since `before`. It returns the state that is announced now. */
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

/** The operations that have a position of their own and whose gate is ready. @throws Error if Redis fails */
async function readyOperations(
  gates: Pick<GateEvaluator, 'gate'>,
  { resource, operations }: JudgedMigration,
  state: MigrationState,
): Promise<readonly string[]> {
  const apart = operations.filter((one) => state.operations[one] !== undefined);
  const ready = await Promise.all(apart.map(async (one) => (await gates.gate(resource, one)).ready));
  return apart.filter((_one, index) => ready[index]);
}

/** Creates the function that judges one migration. It returns whether there was something to judge. */
function createJudgement(deps: JudgeDeps, gates: GateEvaluator) {
  const { states, counts, memory, metrics, clock, webhooks } = deps;
  const actions = createDecisionExecutor(deps);
  const promote = createPromotion(gates, actions, metrics);
  const judgeByOwnQuestions = createOwnJudgement(deps);
  const reportTransients = createReportTransients(deps);

  const ready = new Map<string, ReadyGates>();
  const announce = createAnnounce(webhooks, ready);

  return async function judge(migration: JudgedMigration): Promise<boolean> {
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
    const countsNow = await counts.read(resource);
    const memories = { operations: before, noise: noiseBefore };
    const judged = await Promise.all(
      judgeOperations(migration, memories, countsNow, clock.now()).map((one) =>
        judgeByOwnQuestions(resource, one, countsNow[one.operation]?.failing),
      ),
    );
    const operations = Object.fromEntries(judged.map((one) => [one.operation, one.memory]));
    const noise = Object.fromEntries(judged.map((one) => [one.operation, one.noise]));
    // The memory is written first. If a decision cannot be carried out now, the next round makes it again.
    await memory.write(resource, { step: stepOf(state), operations, noise, announced });
    reportTransients(migration, state, judged, before);
    for (const one of judged) metrics.migrationCusum(resource, one.operation, one.memory.cusum);
    const serious = mostSerious(state, judged);
    if (serious !== undefined) await actions.carryOut(state, serious.operation, serious.decision);
    if (serious?.decision.kind === 'roll_back') return true;
    await actions.endDrill(
      state,
      judged.map((one) => one.memory),
    );
    const apart = await readyOperations(gates, migration, state);
    ready.set(resource, new Set((await promote(migration, state)) ? [undefined, ...apart] : apart));
    return true;
  };
}

/** Creates the judge of the migrations of a fleet; only one process judges at a time. It does nothing before `start`. */
export function createJudge(deps: JudgeDeps) {
  const { declared, memory, metrics, log } = deps;
  const gates = createGateEvaluator(deps);
  const judge = createJudgement(deps, gates);
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isFailing = false;
  /** The migrations that the metrics show. */
  let shown: readonly JudgedMigration[] = [];

  /** Judges all migrations. An ended or no longer declared migration is removed from the metrics, so that its alert ends. */
  async function judgeAll(migrations: readonly JudgedMigration[]): Promise<void> {
    const judging = migrations.map(async (one) => ((await judge(one)) ? [one] : []));
    const judged = (await Promise.all(judging)).flat();
    const resources = new Set(judged.map(({ resource }) => resource));
    for (const one of shown) if (!resources.has(one.resource)) metrics.forgetJudgement(one);
    shown = judged;
  }

  async function judgeOnce(): Promise<void> {
    const migrations = declared();
    try {
      if (migrations.length > 0 && (await memory.acquireLeadership())) await judgeAll(migrations);
      else metrics.forgetJudgement();
      isFailing = false;
    } catch (error) {
      // Without Redis no process knows the counts of the fleet. Then the breaker of each process protects its callers.
      metrics.forgetJudgement();
      if (!isFailing)
        log.warn({ problem: String(error) }, 'the migrations cannot be judged now; each look tries again');
      isFailing = true;
    }
  }

  /** Looks at all migrations once. It never rejects. */
  function look(): Promise<void> {
    round ??= judgeOnce().finally(() => (round = undefined));
    return round;
  }

  return {
    ...gates,
    look,
    /** Looks every two seconds from now on. */
    start(): void {
      timer ??= setInterval(() => void look(), ROUND_MS);
      timer.unref();
    },
    /** Ends the rounds, and lets another process judge. */
    async close(): Promise<void> {
      clearInterval(timer);
      await round;
      await memory.releaseLeadership();
    },
  };
}
