import type { Logger } from 'pino';
import type { ConfigTexts } from '../config/load.ts';
import type { Ending, FromWorker, WorkerProcess } from './messages.ts';
import { type Member, nextSteps } from './next-steps.ts';
import { createPermits } from './permits.ts';
import { createRestarts } from './restarts.ts';
import { createWorkerLink, type WorkerLink } from './worker-link.ts';

/** A configuration as a primary carries it out. */
export type Plan = {
  readonly texts: ConfigTexts;
  readonly workers: number;
  /** How long a worker that leaves serves on, milliseconds. */
  readonly drainMs: number;
  /** How many calls each source takes at once. */
  readonly concurrency: ReadonlyMap<string, number>;
};

export type SupervisorDeps = {
  readonly fork: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Told of everybody who has gone. */
  readonly onGone: (worker: WorkerLink, how: 'left' | 'died') => void;
  /** Told how a new configuration has fared. */
  readonly onReload: (outcome: 'accepted' | 'refused') => void;
};

/** Has workers serve, replaces those that die, and changes all of them for others one by one. */
export type Supervisor = {
  /** Resolves with the port once all serve. @throws Error with the problem that one of them tells */
  start(plan: Plan): Promise<number>;
  /** Puts another configuration in force, unless its first worker fails. */
  reload(plan: Plan): void;
  /** Has all leave; resolves once they are gone. */
  stop(): Promise<void>;
  /** Resolves, with the reason, where workers die again and again and nobody serves any more. */
  readonly givenUp: Promise<string>;
  /** All that are there, and what they do. */
  readonly workers: readonly Pick<Place, 'link' | 'phase'>[];
};

type Place = {
  readonly link: WorkerLink;
  readonly plan: Plan;
  readonly generation: number;
  readonly startedAt: number;
  phase: Member['phase'];
  /** Ends it where it takes too long to start, or to leave. */
  timer?: NodeJS.Timeout;
};

const START_MS_MAX = 120_000;
/** What a drain may take beside the time that the configuration gives it. */
const LEAVE_MS_MAX = 12_000;

/** Creates a supervisor without workers. */
export function createSupervisor({ fork, log, onGone, onReload }: SupervisorDeps): Supervisor {
  const places = new Map<number, Place>();
  const permits = createPermits((worker, message) => void places.get(worker)?.link.process.send(message));
  const restarts = createRestarts();
  const started = Promise.withResolvers<number>();
  const stopped = Promise.withResolvers<undefined>();
  const givenUp = Promise.withResolvers<string>();
  let plan: Plan | undefined;
  let generation = 0;
  let candidate: { readonly plan: Plan; readonly generation: number } | undefined;
  /** A configuration that came while another was being put in force. */
  let next: Plan | undefined;
  let rolling = false;
  let held: NodeJS.Timeout | undefined;
  let port: number | undefined;
  let stopping = false;

  const serving = () => [...places.values()].filter(({ phase }) => phase === 'serving');

  function killLater(place: Place, ms: number, why: string): void {
    clearTimeout(place.timer);
    place.timer = setTimeout(() => {
      log.error({ worker: place.link.process.pid, why }, 'a worker is ended by force');
      place.link.process.kill();
    }, ms);
  }

  function startWorker(of: Plan, number: number): void {
    const process = fork();
    const { id } = process;
    const link = createWorkerLink(process, (message) => heard(place, message));
    const startedAt = performance.now();
    const place: Place = { link, plan: of, generation: number, startedAt, phase: 'starting' };
    places.set(id, place);
    killLater(place, START_MS_MAX, `it did not serve within ${START_MS_MAX} ms`);
    process.onExit((ending) => exited(id, place, ending));
  }

  function heard(place: Place, message: FromWorker): void {
    const { process } = place.link;
    switch (message.kind) {
      case 'online':
        void process.send({
          kind: 'setup',
          texts: place.plan.texts,
          onlyReady: place.generation === candidate?.generation,
        });
        break;
      case 'serving':
        serves(place, message.port);
        break;
      case 'failed':
        log.error({ worker: process.pid, problem: message.problem }, 'a worker cannot serve');
        started.reject(new Error(message.problem));
        break;
      case 'permit-want':
      case 'permit-back':
        permits.handle(process.id, message);
        break;
      default:
    }
  }

  function serves(place: Place, at: number): void {
    if (place.phase !== 'starting') return;
    place.phase = 'serving';
    clearTimeout(place.timer);
    port = at;
    log.info({ worker: place.link.process.pid }, 'a worker serves');
    if (place.generation === candidate?.generation) {
      ({ plan, generation } = candidate);
      candidate = undefined;
      rolling = true;
      permits.configure(place.plan.concurrency);
      onReload('accepted');
    }
    advance();
  }

  function exited(id: number, place: Place, { code, signal }: Ending): void {
    places.delete(id);
    clearTimeout(place.timer);
    permits.gone(id);
    onGone(place.link, place.phase === 'leaving' ? 'left' : 'died');
    const { pid } = place.link.process;
    if (place.phase === 'leaving') log.info({ worker: pid, code, signal }, 'a worker has left');
    else log.error({ worker: pid, code, signal }, 'a worker has died');
    if (place.phase !== 'leaving') mourn(place);
    advance();
  }

  /** Decides what becomes of the place of one that has died. */
  function mourn(place: Place): void {
    if (place.generation === candidate?.generation) {
      candidate = undefined;
      log.error({}, 'the new configuration is refused: no worker can serve with it; the old ones go on');
      onReload('refused');
      return;
    }
    if (stopping) return;
    const verdict = restarts.died(performance.now() - place.startedAt, serving().length > 0);
    if (verdict === 'give up') givenUp.resolve('workers die again and again, and nobody serves any more');
    else hold(verdict.afterMs);
  }

  function hold(ms: number): void {
    clearTimeout(held);
    held = setTimeout(() => {
      held = undefined;
      advance();
    }, ms);
  }

  function advance(): void {
    if (plan === undefined) return;
    if (candidate === undefined && next !== undefined && port !== undefined && !isMixed()) propose(next);
    const members = [...places].map(([id, { generation: number, phase }]) => ({
      id,
      generation: number,
      phase,
    }));
    const { workers: wanted } = plan;
    const steps = nextSteps({ members, wanted, generation, candidate: candidate?.generation, stopping });
    if (held === undefined) for (let i = 0; i < steps.start; i += 1) startWorker(plan, generation);
    for (const id of steps.leave) dismiss(id);
    if (port !== undefined && serving().length >= wanted) started.resolve(port);
    if (rolling && !isMixed() && serving().length === wanted) {
      rolling = false;
      log.info({ workers: wanted }, 'the new configuration is in force');
    }
    if (stopping && places.size === 0) stopped.resolve(undefined);
  }

  const isMixed = () => [...places.values()].some((place) => place.generation < generation);

  function propose(given: Plan): void {
    next = undefined;
    candidate = { plan: given, generation: generation + 1 };
    startWorker(given, candidate.generation);
  }

  function dismiss(id: number): void {
    const place = places.get(id);
    if (place === undefined) return;
    place.phase = 'leaving';
    void place.link.process.send({ kind: 'leave', othersListen: !stopping });
    const ms = place.plan.drainMs + LEAVE_MS_MAX;
    killLater(place, ms, `it did not leave within ${ms} ms`);
  }

  return {
    start(given) {
      [plan, generation] = [given, 1];
      permits.configure(given.concurrency);
      advance();
      return started.promise;
    },
    reload(given) {
      if (stopping) return;
      next = given;
      advance();
    },
    async stop() {
      stopping = true;
      next = undefined;
      clearTimeout(held);
      advance();
      await stopped.promise;
    },
    givenUp: givenUp.promise,
    get workers() {
      return [...places.values()];
    },
  };
}
