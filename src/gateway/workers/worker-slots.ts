// Holds the worker processes of one primary, each in a slot: starts, drains and kills them, and reports what happens to them.

import type { Logger } from 'pino';
import type { ConfigTexts } from '../../config/load.ts';
import type { ProcessExit, ToWorker, WorkerProcess } from './messages.ts';
import type { PermitMessage } from './permits/permit-pool.ts';
import { createWorkerLink, type WorkerLink } from './worker-link.ts';

/** A configuration as a primary needs it to run its workers. */
export type WorkerPlan = {
  readonly texts: ConfigTexts;
  /** The digest of the configuration, see `configDigest`. */
  readonly digest: string;
  readonly workers: number;
  /** How long a worker that leaves still serves, in milliseconds. */
  readonly drainMs: number;
  /** How many concurrent calls each source allows. */
  readonly concurrency: ReadonlyMap<string, number>;
};

/** A worker process, and what its primary knows about it. */
export type WorkerSlot = {
  readonly link: WorkerLink;
  /** The configuration that the worker serves. */
  plan: WorkerPlan;
  /** When the worker was started, by `performance.now()`. */
  readonly startedAt: number;
  phase: 'starting' | 'serving' | 'leaving';
  /** Kills the worker if it takes too long to start or to leave. */
  deadline?: NodeJS.Timeout;
};

/** What the slots need, and the functions that are told what happens to workers; `onExit` is called once for each worker. */
export type WorkerSlotsDeps = {
  readonly fork: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called when a worker begins to serve on a port. */
  readonly onServing: (slot: WorkerSlot, port: number) => void;
  /** Called when a worker cannot serve. The worker then ends. */
  readonly onFailed: (problem: string) => void;
  readonly onPermit: (worker: number, message: PermitMessage) => void;
  /** Called after a worker has ended. If its phase is not `leaving`, the worker has crashed. */
  readonly onExit: (slot: WorkerSlot) => void;
};

const START_MS_MAX = 120_000;
/** How long a worker may take to leave, in addition to its drain. */
const LEAVE_MS_MAX = 12_000;

/** Creates the slots of one primary, without workers. */
export function createWorkerSlots(deps: WorkerSlotsDeps) {
  const { fork, log, onServing, onFailed, onPermit, onExit } = deps;
  const slots = new Map<number, WorkerSlot>();

  function killAfter(slot: WorkerSlot, ms: number, why: string): void {
    clearTimeout(slot.deadline);
    slot.deadline = setTimeout(() => {
      log.error({ worker: slot.link.process.pid, why }, 'a worker is killed');
      slot.link.process.kill();
    }, ms);
  }

  function serving(slot: WorkerSlot, port: number): void {
    if (slot.phase !== 'starting') return;
    slot.phase = 'serving';
    clearTimeout(slot.deadline);
    log.info({ worker: slot.link.process.pid }, 'a worker serves');
    onServing(slot, port);
  }

  function exited(slot: WorkerSlot, { code, signal }: ProcessExit): void {
    const { id, pid } = slot.link.process;
    slots.delete(id);
    clearTimeout(slot.deadline);
    if (slot.phase === 'leaving') log.info({ worker: pid, code, signal }, 'a worker has left');
    else log.error({ worker: pid, code, signal }, 'a worker has died');
    onExit(slot);
  }

  return {
    get all(): readonly WorkerSlot[] {
      return [...slots.values()];
    },
    start(plan: WorkerPlan): void {
      const process = fork();
      const link = createWorkerLink(process, (message) => {
        switch (message.kind) {
          case 'online':
            void process.send({ kind: 'setup', texts: slot.plan.texts });
            break;
          case 'serving':
            serving(slot, message.port);
            break;
          case 'failed':
            log.error({ worker: process.pid, problem: message.problem }, 'a worker cannot serve');
            onFailed(message.problem);
            break;
          case 'permit-want':
          case 'permit-back':
            onPermit(process.id, message);
            break;
          default:
        }
      });
      const slot: WorkerSlot = { link, plan, startedAt: performance.now(), phase: 'starting' };
      slots.set(process.id, slot);
      killAfter(slot, START_MS_MAX, `it did not serve within ${START_MS_MAX} ms`);
      process.onExit((exit) => exited(slot, exit));
    },
    /** Asks a worker to finish its requests and to end. */
    drain(id: number): void {
      const slot = slots.get(id);
      if (slot === undefined) return;
      slot.phase = 'leaving';
      void slot.link.process.send({ kind: 'leave' });
      const ms = slot.plan.drainMs + LEAVE_MS_MAX;
      killAfter(slot, ms, `it did not leave within ${ms} ms`);
    },
    send: (id: number, message: ToWorker) => void slots.get(id)?.link.process.send(message),
  };
}
