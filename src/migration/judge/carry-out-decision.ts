// Carries out what the judge has decided: asks its own questions, rolls back, holds, ends a failure drill, takes a step.

import type { Logger } from 'pino';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import {
  hasBegun,
  type MigrationState,
  type Position,
  positionOf,
  positionText,
  type Rollback,
} from '../state/migration-state.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import { held, moved, rolledBack } from '../state/transitions.ts';
import type { GateEvaluator, JudgedMigration } from './evaluate-gate.ts';
import { shapeOfFailure } from '../statistics/cusum.ts';
import type { Judged } from './judge-operations.ts';
import { drillOutcome, withoutDrill } from './failure-drill.ts';
import type { OperationMemory, JudgeDecision } from './rollback-rules.ts';

/** What the executor needs. `states` is changed by compare-and-set; only a change that was made is written to `audit`. */
export type DecisionDeps = {
  readonly states: Pick<MigrationStateStore, 'change'>;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly metrics: {
    migrationGate(resource: string, isReady: boolean): void;
    migrationRollback(resource: string, rule: Rollback['rule'] | 'rehearsal'): void;
  };
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/** The name of the judge as the author of a change, in the audit and in the state. */
const JUDGE = 'judge';

const auditView = (state: MigrationState, operation?: string) => ({
  rev: state.rev,
  position: positionText(positionOf(state, operation)),
});

/**
 * Creates the function that changes a state and writes the change to the audit. If somebody else has changed the state first, it
 * returns false and does nothing, because the judge judges the new state in its next round anyway.
 */
function createChange({ states, audit, log }: DecisionDeps) {
  return async function change(
    state: MigrationState,
    next: MigrationState,
    { action, reason, operation }: { action: string; reason: string; operation?: string | undefined },
  ): Promise<boolean> {
    const written = await states.change(state, next);
    if (written.kind === 'conflict') return false;
    const { resource } = state;
    const target = operation ?? resource;
    log.warn({ resource, operation, rev: written.state.rev, reason }, `${action} by the judge`);
    const [before, after] = [auditView(state, operation), auditView(written.state, operation)];
    await audit.record({ actor: JUDGE, action, target, before, after, reason, outcome: 'done' });
    return true;
  };
}

/** What the audit says about a failure drill that has ended. */
function drillText(hasWorked: boolean, failedCalls: number, cusum: number): string {
  return hasWorked
    ? `a rehearsal: after ${failedCalls} failed comparison calls the judge would have rolled back (CUSUM ${cusum.toFixed(1)})`
    : `a rehearsal: ${failedCalls} failed comparison calls are too few for the judge; it needs four`;
}

/** Creates the functions that carry out decisions of the judge. They all reject if Redis fails. */
export function createDecisionExecutor(deps: DecisionDeps) {
  const { metrics, clock } = deps;
  const change = createChange(deps);
  const instant = () => new Date(clock.now()).toISOString();

  async function rollBack(
    state: MigrationState,
    operation: string,
    { rule, reason }: Extract<JudgeDecision, { kind: 'roll_back' }>,
  ): Promise<void> {
    // If an operation has a position of its own, only this operation goes back.
    const apart = state.operations[operation] === undefined ? undefined : operation;
    const next = rolledBack(state, { by: JUDGE, at: instant(), rule, evidence: reason }, apart);
    const audited = { action: 'migrations.rollback', reason: `${operation}: ${reason}`, operation: apart };
    if (await change(state, next, audited)) metrics.migrationRollback(state.resource, rule);
  }

  return {
    /** Rolls back or holds a migration, if that is the decision. */
    async carryOut(state: MigrationState, operation: string, decision: JudgeDecision): Promise<void> {
      if (decision.kind === 'roll_back') await rollBack(state, operation, decision);
      if (decision.kind !== 'hold' || state.hold !== undefined) return;
      const reason = `${operation}: ${decision.reason}`;
      const next = held(state, { by: JUDGE, at: instant() }, reason);
      await change(state, next, { action: 'migrations.hold', reason });
    },

    /** Ends a failure drill that has worked, or whose time is over. */
    async endDrill(state: MigrationState, memories: readonly OperationMemory[]): Promise<void> {
      const { rehearsal } = state;
      if (rehearsal === undefined) return;
      const cusum = Math.max(...memories.map((memory) => memory.rehearsal));
      const failedCalls = memories.reduce((sum, { seen }) => sum + seen.rehearsed, 0);
      const outcome = drillOutcome(rehearsal, cusum, clock.now());
      if (outcome === 'under_way') return;
      const reason = drillText(outcome === 'worked', failedCalls, cusum);
      const next = withoutDrill(state, outcome === 'worked' ? instant() : undefined);
      const isDone = await change(state, next, { action: 'migrations.rehearse', reason });
      if (isDone && outcome === 'worked') metrics.migrationRollback(state.resource, 'rehearsal');
    },

    /** Takes a step forward, because its gate is ready. */
    async step(state: MigrationState, to: Position): Promise<void> {
      const reason = `the gate of ${positionText(to)} was ready, and promote is auto`;
      const next = moved(state, to, undefined, instant());
      await change(state, next, { action: 'migrations.stage', reason });
    },
  };
}

/**
 * Creates the function that evaluates the gate of a resource and reports it to the metrics. If the gate is ready and the
 * configuration says `promote: auto`, it takes the step. It returns whether the gate is ready. It rejects if Redis fails.
 */
export function createPromotion(
  gates: Pick<GateEvaluator, 'gate'>,
  actions: Pick<ReturnType<typeof createDecisionExecutor>, 'step'>,
  metrics: DecisionDeps['metrics'],
) {
  return async function promote(
    { resource, config }: JudgedMigration,
    state: MigrationState,
  ): Promise<boolean> {
    const gate = await gates.gate(resource);
    metrics.migrationGate(resource, gate.ready);
    if (gate.ready && gate.next !== undefined && config.promote === 'auto' && hasBegun(state))
      await actions.step(state, gate.next);
    return gate.ready;
  };
}

/** How many questions Portico asked on its own, and how many of them failed only at the new source. */
export type OwnAnswers = { readonly asked: number; readonly failed: number };

/** What the judge needs to ask its own questions. */
export type OwnJudgementDeps = {
  /**
   * Asks both sources about records that the legacy source has, first with the parameters (`shapes`) of the failed questions.
   * `undefined` means that the answers are not there yet. It never rejects.
   */
  readonly askOwnQuestions: (
    resource: string,
    operation: string,
    shapes: ReadonlySet<string>,
  ) => Promise<OwnAnswers | undefined>;
  readonly log: Pick<Logger, 'info'>;
};

/** If at least this number of own questions fail, the source is broken, and not only for one caller. */
const OWN_FAILED_MIN = 2;

/**
 * Creates the function that replaces the decision `ask` by asking Portico's own questions; `failing` is `OperationCounts.failing`.
 * If two of the questions fail, the migration is rolled back. If all are answered, the failures beyond the limit for one caller
 * are forgotten. Otherwise it asks again in the next round of the judge.
 */
export function createOwnJudgement({ askOwnQuestions, log }: OwnJudgementDeps) {
  return async function judgeByOwnQuestions(
    resource: string,
    judged: Judged,
    failing: readonly string[] = [],
  ): Promise<Judged> {
    const { operation, memory, decision } = judged;
    if (decision.kind !== 'ask') return judged;
    const shapes = new Set(failing.map(shapeOfFailure));
    const { asked, failed } = (await askOwnQuestions(resource, operation, shapes)) ?? { asked: 0, failed: 0 };
    if (failed >= OWN_FAILED_MIN) {
      const reason = `${decision.reason}, and ${failed} of ${asked} questions of Portico's own`;
      return { ...judged, decision: { kind: 'roll_back', rule: 'failures', reason } };
    }
    if (asked === 0 || failed > 0) return { ...judged, decision: decision.otherwise };
    log.info({ resource, operation, asked }, 'the new source fails at questions of one caller alone');
    const { cusum, failures } = memory;
    const forgotten = failures && { ...failures, unbounded: cusum };
    return { ...judged, memory: { ...memory, failures: forgotten }, decision: decision.otherwise };
  };
}
