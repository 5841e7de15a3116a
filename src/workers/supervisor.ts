import type { Logger } from 'pino';
import type { WorkerProcess } from './messages.ts';
import { createPermitPool } from './permits/permit-pool.ts';
import { reconcile } from './reconcile.ts';
import { createRestartBackoff } from './restart-backoff.ts';
import { createRollout, type Rollout } from './rollout.ts';
import type { WorkerLink } from './worker-link.ts';
import { createWorkerSlots, type WorkerPlan, type WorkerSlot, type WorkerSlots } from './worker-slots.ts';

export type SupervisorDeps = {
  readonly plan: WorkerPlan;
  readonly fork: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called after a worker has ended. */
  readonly onWorkerEnd: (worker: WorkerLink, how: 'left' | 'died') => void;
  /** Called with the outcome of each reload. */
  readonly onReload: (outcome: 'accepted' | 'refused') => void;
};

/** Keeps the wanted number of workers serving, backoff those that crash, and rolls out a new configuration. */
export type Supervisor = {
  /** Resolves with the port once all workers serve. @throws Error with the problem of a worker that cannot serve */
  start(): Promise<number>;
  /** Rolls out another configuration. If its first worker fails, the old configuration stays. */
  reload(plan: WorkerPlan): void;
  /** Drains all workers. Resolves once all have ended. */
  stop(): Promise<void>;
  /** Resolves with the reason if workers crash again and again and none serves any more. */
  readonly givenUp: Promise<string>;
  readonly workers: readonly Pick<WorkerSlot, 'link' | 'phase'>[];
};

/** Starts and drains workers as `reconcile` says. */
function applyActions(
  slots: WorkerSlots,
  { current, candidate }: Rollout,
  may: { start: boolean; stopping: boolean },
) {
  const members = slots.all.map(({ link, generation, phase }) => ({
    id: link.process.id,
    generation: generation.number,
    phase,
  }));
  const actions = reconcile({
    members,
    wanted: current.plan.workers,
    generation: current.number,
    candidate: candidate?.number,
    stopping: may.stopping,
  });
  if (may.start) for (let i = 0; i < actions.start; i += 1) slots.start(current, false);
  for (const id of actions.leave) slots.drain(id, !may.stopping);
}

/** Creates a supervisor without workers. */
export function createSupervisor({ plan, fork, log, onWorkerEnd, onReload }: SupervisorDeps): Supervisor {
  const rollout = createRollout(plan);
  const permits = createPermitPool((worker, message) => slots.send(worker, message));
  const backoff = createRestartBackoff(() => advance());
  const started = Promise.withResolvers<number>();
  const stopped = Promise.withResolvers<undefined>();
  let port: number | undefined;
  let stopping = false;

  const slots = createWorkerSlots({
    fork,
    log,
    onPermit: (worker, message) => permits.handle(worker, message),
    onFailed: (problem) => started.reject(new Error(problem)),
    onServing(slot, at) {
      port = at;
      if (isCandidate(slot)) {
        rollout.accept();
        permits.configure(rollout.current.plan.concurrency);
        onReload('accepted');
      }
      advance();
    },
    onExit(slot) {
      permits.workerEnded(slot.link.process.id);
      onWorkerEnd(slot.link, slot.phase === 'leaving' ? 'left' : 'died');
      if (slot.phase !== 'leaving') onCrash(slot);
      advance();
    },
  });
  const isCandidate = (slot: WorkerSlot) => slot.generation.number === rollout.candidate?.number;
  const servingCount = () => slots.all.filter(({ phase }) => phase === 'serving').length;

  function onCrash(slot: WorkerSlot): void {
    if (isCandidate(slot)) {
      rollout.refuse();
      log.error({}, 'the new configuration is refused: no worker can serve with it; the old workers go on');
      onReload('refused');
    } else if (!stopping) backoff.onCrash(performance.now() - slot.startedAt, servingCount() > 0);
  }

  /** Takes the next actions. It is called after each event. */
  function advance(): void {
    const isMixed = slots.all.some(({ generation }) => generation.number < rollout.current.number);
    const candidate = port === undefined || isMixed ? undefined : rollout.nextCandidate();
    if (candidate !== undefined) slots.start(candidate, true);
    applyActions(slots, rollout, { start: !backoff.pending, stopping });
    const { workers } = rollout.current.plan;
    if (port !== undefined && servingCount() >= workers) started.resolve(port);
    if (!isMixed && servingCount() === workers && rollout.finish())
      log.info({ workers }, 'the new configuration is in force');
    if (stopping && slots.all.length === 0) stopped.resolve(undefined);
  }

  return {
    start() {
      permits.configure(plan.concurrency);
      advance();
      return started.promise;
    },
    reload(next) {
      if (stopping) return;
      rollout.queue(next);
      advance();
    },
    async stop() {
      stopping = true;
      rollout.queue(undefined);
      backoff.stop();
      advance();
      await stopped.promise;
    },
    givenUp: backoff.givenUp,
    get workers() {
      return slots.all;
    },
  };
}
