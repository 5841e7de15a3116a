import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createAdminApp } from '../admin/app.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { WorkerProcess, WorkerState } from './messages.ts';
import { createSupervisor, type Plan } from './supervisor.ts';
import { createTallies } from './merged-metrics.ts';
import { watchWorkers } from './watch-workers.ts';

/** A gateway of several processes. */
export type Primary = {
  /** Opens the operator's listener and has workers serve; rejects where one cannot, or a port is taken. */
  listen(): Promise<{ port: number; adminPort: number }>;
  /** Changes to another configuration, worker by worker; says in the log how it fared. */
  reload(plan: Plan): void;
  /** Says that a configuration is not even tried. */
  refuse(problems: readonly string[]): void;
  /** Has all workers leave, and closes. */
  drain(): Promise<void>;
  /** Resolves, with the reason, where workers die again and again. */
  readonly givenUp: Promise<string>;
};

export type PrimaryDeps = {
  readonly plan: Plan;
  readonly admin: GatewayConfig['admin'];
  readonly fork: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
};

const STATE_MS = 1_000;
const PURGE_MS = 5_000;

/** What workers depend on: where one reaches it, requests are answered. */
function bestOf(states: readonly WorkerState[]): WorkerState['checks'] {
  const best = new Map<string, WorkerState['checks'][number]>();
  for (const check of states.flatMap(({ checks }) => checks))
    if (best.get(check.name)?.ready !== true) best.set(check.name, check);
  return [...best.values()];
}

/** Creates the primary of a gateway of several processes; nothing runs before `listen`. */
export function createPrimary({ plan, admin, fork, log }: PrimaryDeps): Primary {
  let draining = false;
  const tallies = createTallies({ workers: () => supervisor.workers });
  const supervisor = createSupervisor({
    fork,
    log,
    onGone: (link, how) => tallies.gone(link, how),
    onReload: (outcome) => tallies.reloaded(outcome),
  });
  const serving = () => supervisor.workers.flatMap(({ link, phase }) => (phase === 'serving' ? [link] : []));

  /** What each worker says that serves and answers. */
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
      metrics: tallies,
      quality: () => tallies.quality(),
      async purge(tag) {
        // Any of them tells all others, through Redis.
        const [link] = serving();
        if (link === undefined) throw new Error('no worker serves');
        await link.ask({ about: 'purge', tag }, PURGE_MS);
      },
      token: admin.token,
    }),
  );

  function openAdmin(): Promise<number> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: admin.host, port: admin.port }, () =>
        resolve((server.address() as AddressInfo).port),
      );
    });
  }

  async function close(): Promise<void> {
    await supervisor.stop();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  const endWatch = watchWorkers(supervisor, log);
  return {
    async listen() {
      try {
        const adminPort = await openAdmin();
        const hopeless = supervisor.givenUp.then((reason) => Promise.reject(new Error(reason)));
        const port = await Promise.race([supervisor.start(plan), hopeless]);
        log.info({ port, adminPort, redis: true, workers: plan.workers }, 'listening');
        return { port, adminPort };
      } catch (error) {
        endWatch();
        await close();
        throw error;
      }
    },
    reload(given) {
      log.info({ workers: given.workers }, 'trying the new configuration with one worker');
      supervisor.reload(given);
    },
    refuse(problems) {
      tallies.reloaded('refused');
      log.error(
        { problems },
        'the new configuration is refused; the gateway goes on with the one it has: mend the files, and send SIGHUP again',
      );
    },
    async drain() {
      endWatch();
      draining = true;
      log.info({}, 'draining');
      await close();
    },
    givenUp: supervisor.givenUp,
  };
}
