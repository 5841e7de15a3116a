import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { createAdminApp } from '../admin/app.ts';
import { adminTokens } from '../admin/guard.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { closeListener, openListener } from '../http/listener/open-listener.ts';
import type { WorkerProcess, WorkerState } from './messages.ts';
import { createPrimaryAct } from './primary-actions.ts';
import { createMergedMetrics } from './metrics/merged-metrics.ts';
import { createSupervisor } from './supervisor.ts';
import { watchForHangs } from './watch-for-hangs.ts';
import type { WorkerPlan } from './worker-slots.ts';

/** The primary process of a gateway with several workers. */
export type Primary = {
  /** Opens the operator's listener and starts the workers. @throws Error if a worker cannot serve, or a port is taken */
  listen(): Promise<{ port: number; adminPort: number }>;
  /** Rolls out another configuration, worker by worker. The log says the outcome. */
  reload(plan: WorkerPlan): void;
  /** Reports a configuration that is not tried, because its files have problems. */
  refuse(problems: readonly string[]): void;
  /** Drains all workers, and closes. */
  drain(): Promise<void>;
  /** Resolves with the reason if workers crash again and again. */
  readonly givenUp: Promise<string>;
};

export type PrimaryDeps = {
  readonly plan: WorkerPlan;
  readonly admin: GatewayConfig['admin'];
  readonly fork: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
};

const STATE_MS = 1_000;

/**
 * The checks of all workers. A check passes if it passes in one worker, since that worker can then serve. Its detail is
 * that of the first worker that has one.
 */
function bestOf(states: readonly WorkerState[]): WorkerState['checks'] {
  const best = new Map<string, WorkerState['checks'][number]>();
  for (const check of states.flatMap(({ checks }) => checks)) {
    const before = best.get(check.name);
    best.set(check.name, { ...check, ...before, ready: check.ready || before?.ready === true });
  }
  return [...best.values()];
}

/** Creates the primary. Nothing runs before `listen`. */
export function createPrimary({ plan, admin, fork, log }: PrimaryDeps): Primary {
  const tokens = adminTokens(admin);
  let draining = false;
  const metrics = createMergedMetrics({ workers: () => supervisor.workers });
  const supervisor = createSupervisor({
    plan,
    fork,
    log,
    onWorkerEnd: (link, how) => metrics.workerEnded(link, how),
    onReload: (outcome) => metrics.reloaded(outcome),
  });
  const serving = () => supervisor.workers.flatMap(({ link, phase }) => (phase === 'serving' ? [link] : []));

  /** The state of each serving worker that answers. */
  async function states(): Promise<readonly WorkerState[]> {
    const asked = serving().map((link) => link.ask({ about: 'state' }, STATE_MS) as Promise<WorkerState>);
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  const server = createServer(
    createAdminApp({
      async checks() {
        const found = await states();
        return [{ name: 'workers', ready: found.length > 0, needed: true }, ...bestOf(found)];
      },
      draining: () => draining,
      metrics,
      act: createPrimaryAct({ serving, quality: () => metrics.quality() }),
      tokens: () => tokens,
      log,
    }),
  );

  const endWatch = watchForHangs(supervisor, log);

  async function close(): Promise<void> {
    endWatch();
    await supervisor.stop();
    await closeListener(server);
  }

  return {
    async listen() {
      try {
        const adminPort = await openListener(server, admin);
        const givenUp = supervisor.givenUp.then((reason) => Promise.reject(new Error(reason)));
        const port = await Promise.race([supervisor.start(), givenUp]);
        log.info({ port, adminPort, redis: true, workers: plan.workers }, 'listening');
        return { port, adminPort };
      } catch (error) {
        await close();
        throw error;
      }
    },
    reload(next) {
      log.info({ workers: next.workers }, 'trying the new configuration with one worker');
      supervisor.reload(next);
    },
    refuse(problems) {
      metrics.reloaded('refused');
      log.error(
        { problems },
        'the new configuration is refused; the gateway goes on with the old one: correct the files, and send SIGHUP again',
      );
    },
    async drain() {
      draining = true;
      log.info({}, 'draining');
      await close();
    },
    givenUp: supervisor.givenUp,
  };
}
