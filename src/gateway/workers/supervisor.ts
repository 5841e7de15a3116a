// Keeps the wanted number of workers running for a primary: starts them, replaces those that crash, and divides the permits.

import type { Logger } from 'pino';
import type { WorkerProcess } from './messages.ts';
import { createPermitPool } from './permits/permit-pool.ts';
import { createRestartBackoff } from './restart-backoff.ts';
import type { WorkerLink } from './worker-link.ts';
import { createWorkerSlots, type WorkerPlan, type WorkerSlot } from './worker-slots.ts';

/** What a supervisor needs. `plan` is the configuration of the start; `adopt` replaces it. */
export type SupervisorDeps = {
  readonly plan: WorkerPlan;
  readonly fork: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called after a worker has ended. */
  readonly onWorkerEnd: (worker: WorkerLink, how: 'left' | 'died') => void;
  /** Called when a worker begins to serve by an earlier plan than the present one. */
  readonly onOutdated: (slot: WorkerSlot) => void;
};

/** Keeps the wanted number of workers serving, and replaces workers that crash, after a back-off. */
export type Supervisor = ReturnType<typeof createSupervisor>;

/** Creates a supervisor without workers. */
export function createSupervisor(deps: SupervisorDeps) {
  const { fork, log, onWorkerEnd, onOutdated } = deps;
  const permits = createPermitPool((worker, message) => slots.send(worker, message));
  const backoff = createRestartBackoff(() => advance());
  const started = Promise.withResolvers<number>();
  const stopped = Promise.withResolvers<undefined>();
  let { plan } = deps;
  let port: number | undefined;
  let stopping = false;

  const slots = createWorkerSlots({
    fork,
    log,
    onPermit: (worker, message) => permits.handle(worker, message),
    onFailed: (problem) => started.reject(new Error(problem)),
    onServing(slot, at) {
      port = at;
      if (slot.plan !== plan) onOutdated(slot);
      advance();
    },
    onExit(slot) {
      const { link, phase, startedAt } = slot;
      permits.workerEnded(link.process.id);
      onWorkerEnd(link, phase === 'leaving' ? 'left' : 'died');
      if (phase !== 'leaving' && !stopping)
        backoff.onCrash(performance.now() - startedAt, servingCount() > 0);
      advance();
    },
  });
  const servingCount = () => slots.all.filter(({ phase }) => phase === 'serving').length;

  /** Starts or drains workers until their number is right. It is called after each event. */
  function advance(): void {
    const staying = slots.all.filter(({ phase }) => phase !== 'leaving');
    if (stopping) for (const { link } of staying) slots.drain(link.process.id);
    else if (!backoff.pending)
      for (let count = staying.length; count < plan.workers; count += 1) slots.start(plan);
    if (port !== undefined && servingCount() >= plan.workers) started.resolve(port);
    if (stopping && slots.all.length === 0) stopped.resolve(undefined);
  }

  return {
    /** Resolves with the port once all workers serve. @throws Error with the problem of a worker that cannot serve */
    start(): Promise<number> {
      permits.configure(plan.concurrency);
      advance();
      return started.promise;
    },
    /** Gives this configuration to every worker that starts from now on. Running workers keep theirs. */
    adopt(next: WorkerPlan): void {
      plan = next;
      permits.configure(next.concurrency);
    },
    /** Drains all workers. Resolves once all have ended. */
    async stop(): Promise<void> {
      stopping = true;
      backoff.stop();
      advance();
      await stopped.promise;
    },
    /** Resolves with the reason if workers crash again and again, and no worker serves any more. */
    givenUp: backoff.givenUp,
    get workers(): readonly WorkerSlot[] {
      return slots.all;
    },
    /** The configuration that every worker should serve. */
    get plan(): WorkerPlan {
      return plan;
    },
  };
}
