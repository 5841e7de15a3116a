// The primary process of a gateway with several workers: it starts them, reloads them, and has the operator's listener.

import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { type Act, createAct } from '../../admin/actions/act.ts';
import { createRunbookActions } from '../../admin/actions/requests/runbook-actions.ts';
import { createConfigActions } from '../../admin/actions/config-actions.ts';
import { createAdminApp } from '../../admin/app.ts';
import { adminTokens } from '../../admin/access/admin-tokens.ts';
import { redisState } from '../../admin/redis-checks.ts';
import { closeListener, openListener } from '../../http/listener/open-listener.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { ProcessIncidents } from '../../telemetry/incidents/fleet-incidents.ts';
import { createIncidentTracker, type IncidentStart } from '../../telemetry/incidents/incident-tracker.ts';
import { askMigrations } from '../reload/ended-migrations.ts';
import { openFigures, type OpenFiguresDeps } from '../reload/open-figures.ts';
import { openWebhooks } from '../reload/open-webhooks.ts';
import type { SoundConfig } from '../reload/reload-outcome.ts';
import { createReloader, type Reloading } from '../reload/reloader.ts';
import type { WorkerProcess, WorkerState } from './messages.ts';
import { createForwardedFleet } from './forward-fleet.ts';
import { callersOf, createPrimaryAct, createPrimaryAudit } from './forward-actions.ts';
import { createMergedMetrics, type MergedMetrics } from './merged-metrics.ts';
import { createWorkerReloads } from './two-phase-reload.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { redisProfile } from '../../store/redis/redis-profile.ts';
import { watchForHangs } from './watch-for-hangs.ts';
import { answersOf, askEach, type WorkerLink } from './worker-link.ts';
import type { WorkerPlan } from './worker-slots.ts';

/**
 * What a primary needs. `fork` starts a process that serves nothing yet. It gets the texts of the configuration in a message,
 * and compiles them itself.
 */
export type PrimaryDeps = {
  readonly first: SoundConfig;
  readonly planOf: (config: SoundConfig) => WorkerPlan;
  readonly reloading: Reloading;
  readonly fork: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The name of this process in messages of webhooks, such as `host-1:4711`. */
  readonly instance: string;
  readonly version: string;
  /** The runbook as Markdown. */
  readonly runbook: string;
};

/** How long the primary waits for workers that it asks for their state or their incidents. */
const STATE_MS = 1_000;

/**
 * The checks of all workers. A check passes if it passes in one worker, because that worker can serve. Its detail comes from
 * the first worker that has one.
 */
function bestOf(states: readonly WorkerState[]): WorkerState['checks'] {
  const best = new Map<string, WorkerState['checks'][number]>();
  for (const check of states.flatMap(({ checks }) => checks)) {
    const before = best.get(check.name);
    const needed = check.needed && before?.needed !== false;
    best.set(check.name, { ...check, ...before, needed, ready: check.ready || before?.ready === true });
  }
  return [...best.values()];
}

/** Creates the reloader of a primary and its webhooks, and holds the configuration in force. */
function createPrimaryReloader(
  { first, reloading, log, instance }: PrimaryDeps,
  { reloads, supervisor }: { reloads: ReturnType<typeof createWorkerReloads>; supervisor: Supervisor },
  metrics: MergedMetrics,
  { serving, act }: { readonly serving: () => readonly WorkerLink[]; readonly act: Act },
  draining: () => boolean,
) {
  let rev = 1;
  let served: SoundConfig = first;
  const webhooks = openWebhooks({
    targets: () => served.gateway.webhooks,
    clock: systemClock,
    log,
    instance,
    metrics,
  });
  const reloader = createReloader({
    ...reloading,
    first,
    draining,
    log,
    metrics,
    audit: createPrimaryAudit(serving, log),
    tell: webhooks.tell,
    target: {
      get inForce() {
        return { rev, digest: supervisor.plan.digest };
      },
      async stage(next) {
        const staged = await reloads.stage(next);
        async function apply(waitMs: number) {
          rev += 1;
          served = next;
          return staged.apply(waitMs);
        }
        return { apply, discard: staged.discard };
      },
      migrations: () => askMigrations(act),
      acknowledged: (waitMs) => reloads.serving(waitMs),
    },
  });
  return { reloader, webhooks, served: () => served };
}

const hasSharedCache = ({ gateway: { redis } }: SoundConfig) => redisProfile(redis, 'cache') !== undefined;

type StatusOfPrimary = ReturnType<OpenFiguresDeps['status']>;

/** Asks all workers for the incidents that they see. `silent`: the process ids of those that do not answer in time. */
async function askForIncidents(links: readonly WorkerLink[], open: readonly IncidentStart[]) {
  const asked = await askEach<ProcessIncidents>(links, { about: 'incidents', open }, STATE_MS);
  return { processes: asked.answers, silent: asked.silent.flatMap((at) => links[at]?.process.pid ?? []) };
}

/** Opens the figures of all workers. One worker reads and writes the figures of the fleet, which are in Redis. */
function openPrimaryFigures(
  { first, version, log, instance }: PrimaryDeps,
  given: Pick<OpenFiguresDeps, 'served' | 'act' | 'reloads' | 'tell' | 'tracker'> & {
    readonly metrics: MergedMetrics;
    readonly serving: () => readonly WorkerLink[];
    readonly status: () => Pick<StatusOfPrimary, 'processes' | 'draining' | 'config'>;
  },
) {
  const { metrics, serving, status, ...of } = given;
  return openFigures({
    sampled: metrics.sampled,
    clock: systemClock,
    log,
    ...of,
    status: () => ({ scope: 'workers', version, ...status() }),
    quality: metrics.quality,
    fleet: hasSharedCache(first) ? createForwardedFleet(serving) : undefined,
    callers: () => callersOf(serving),
    name: instance,
    workers: (open) => askForIncidents(serving(), open),
  });
}

/** Creates the function that reads the runbook in the primary, and has the workers carry out the other actions. */
const createOwnAct = (
  { runbook }: PrimaryDeps,
  serving: () => readonly WorkerLink[],
  { quality }: MergedMetrics,
): Act => createAct(createRunbookActions(runbook), { otherwise: createPrimaryAct({ serving, quality }) });

/** The checks of the gateway: whether a worker answers, and the best results of all workers. */
const checksOf = (found: readonly WorkerState[]) => [
  { name: 'workers', ready: found.length > 0, needed: true },
  ...bestOf(found),
];

/** Creates the primary process of a gateway with several workers. Nothing runs before `listen`. */
export function createPrimary(deps: PrimaryDeps) {
  const { first, planOf, fork, log, version } = deps;
  const { host, port } = first.gateway.admin;
  let draining = false;
  const metrics = createMergedMetrics({ workers: () => supervisor.workers });
  const supervisor: Supervisor = createSupervisor({
    // Nothing else may hold the first plan: it has secrets, which a reload must be able to let go of.
    plan: planOf(first),
    fork,
    log,
    onWorkerEnd: metrics.workerEnded,
    onOutdated: (slot) => void reloads.catchUp(slot),
  });
  const reloads = createWorkerReloads({ supervisor, planOf });
  const serving = () => supervisor.workers.flatMap(({ link, phase }) => (phase === 'serving' ? [link] : []));
  const statesOf = () => answersOf<WorkerState>(serving(), { about: 'state' }, STATE_MS);
  const ownAct = createOwnAct(deps, serving, metrics);
  const { reloader, webhooks, served } = createPrimaryReloader(
    deps,
    { reloads, supervisor },
    metrics,
    { serving, act: ownAct },
    () => draining,
  );

  const status = () => ({ processes: serving().length, draining, config: reloader.status });
  const tracker = createIncidentTracker({ clock: systemClock, instance: deps.instance, version });
  const of = { serving, served, act: ownAct, reloads: reloader.reloads, tell: webhooks.tell };
  const figures = openPrimaryFigures(deps, { ...of, metrics, status, tracker });
  const actions = { ...figures.actions, ...createConfigActions(reloader) };

  const server = createServer(
    createAdminApp({
      checks: async () => checksOf(await statesOf()),
      draining: () => draining,
      metrics,
      act: createAct(actions, { otherwise: ownAct }),
      events: figures.events,
      tokens: () => adminTokens(served().gateway.admin),
      config: () => reloader.status,
      ...{ log, clock: systemClock, version },
    }),
  );
  const endWatch = watchForHangs(supervisor, log);

  async function close(): Promise<void> {
    endWatch();
    tracker.close();
    await figures.close();
    await supervisor.stop();
    await webhooks.close();
    await closeListener(server);
  }

  return {
    /** Opens the operator's listener and starts the workers. @throws Error if a worker cannot serve, or a port is taken */
    async listen(): Promise<{ port: number; adminPort: number }> {
      try {
        const adminPort = await openListener(server, { host, port });
        const givenUp = supervisor.givenUp.then((reason) => Promise.reject(new Error(reason)));
        const publicPort = await Promise.race([supervisor.start(), givenUp]);
        figures.start();
        tracker.start();
        const redis = redisState(bestOf(await statesOf()));
        log.info({ port: publicPort, adminPort, redis, workers: supervisor.plan.workers }, 'listening');
        return { port: publicPort, adminPort };
      } catch (error) {
        await close();
        throw error;
      }
    },
    reload: reloader.reload,
    async drain(): Promise<void> {
      draining = true;
      log.info({}, 'draining');
      await close();
    },
    givenUp: supervisor.givenUp,
  };
}
