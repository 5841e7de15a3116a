// The composition root of a gateway that is one process; src/gateway/workers has the one of several workers.

import { createServer as createAdminServer, type Server } from 'node:http';
import { type ActionHandlers, createAct } from '../admin/actions/act.ts';
import { createConfigActions } from '../admin/actions/config-actions.ts';
import type { Overview } from '../admin/api/metric-specs.ts';
import { createAdminApp } from '../admin/app.ts';
import { redisState } from '../admin/redis-checks.ts';
import { closeListener, openListener } from '../http/listener/open-listener.ts';
import { openFigures } from './reload/open-figures.ts';
import type { ConfigTexts } from '../config/load.ts';
import { describeConfig, fixedHistory } from './reload/describe-config.ts';
import { createPublicSide, type PublicServices, type PublicSide } from './reload/public-side.ts';
import { askMigrations } from './reload/ended-migrations.ts';
import type { SoundConfig } from './reload/reload-outcome.ts';
import { createReloader, type Reloader, type Reloading } from './reload/reloader.ts';
import type { ServedConfig } from './reload/snapshot.ts';

/** What the process provides for a gateway. */
export type GatewayServices = PublicServices & {
  /** How the configuration is read again; absent if it is never read again. */
  readonly reloading?: (Reloading & Pick<SoundConfig, 'texts'> & { readonly pid: number }) | undefined;
  /** The texts of a configuration that is never read again, to show them to operators. */
  readonly fixed?: { readonly pid: number; readonly texts: ConfigTexts } | undefined;
};

/**
 * A gateway: two listeners and everything behind them.
 * @internal
 */
export type Gateway = ReturnType<typeof createGateway>;

/** The number and digest of the configuration in force, as the operator's listener reports them. */
function inForceOf(side: PublicSide) {
  const { rev, digest } = side.inForce();
  return { rev, digest };
}

/** Creates the operator's actions on a configuration that is never read again. */
function createFixedActions(
  served: ServedConfig,
  side: PublicSide,
  fixed: GatewayServices['fixed'],
): ActionHandlers {
  if (fixed === undefined) return {};
  const { pid, texts } = fixed;
  const status = inForceOf(side);
  const history = fixedHistory(status);
  const acknowledged = { processes: [{ pid, digest: status.digest }], waitingFor: 0 };
  return { config: () => describeConfig({ ...served, texts }, status, history, acknowledged) };
}

/** Creates the reloader of a gateway that is one process; `undefined` if its configuration is never read again. */
function createGatewayReloader(
  served: ServedConfig,
  side: PublicSide,
  { reloading, log }: Pick<GatewayServices, 'reloading' | 'log'>,
  draining: () => boolean,
): Reloader | undefined {
  if (reloading === undefined) return undefined;
  const { pid, texts } = reloading;
  const acknowledged = () => ({ processes: [{ pid, digest: side.inForce().digest }], waitingFor: 0 });
  return createReloader({
    ...reloading,
    first: { ...served, texts },
    target: {
      get inForce() {
        return inForceOf(side);
      },
      async stage(next) {
        const staged = await side.stage(next);
        function apply() {
          staged.apply();
          return Promise.resolve(acknowledged());
        }
        return { apply, discard: staged.discard };
      },
      migrations: () => askMigrations(side.act),
      acknowledged: () => Promise.resolve(acknowledged()),
    },
    draining,
    log,
    metrics: side.metrics,
    audit: side.audit,
    tell: side.tell,
  });
}

/** Creates what opens and ends a gateway. */
function createLifecycle({
  side,
  figures,
  admin,
  log,
  served,
}: {
  readonly side: PublicSide;
  readonly figures: ReturnType<typeof openFigures>;
  readonly admin: Server;
  readonly log: GatewayServices['log'];
  readonly served: ServedConfig;
}) {
  const { host, port } = served.gateway.admin;
  let started: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  async function startOnce(): Promise<void> {
    await side.prepare();
    figures.start();
  }

  async function closeOnce(): Promise<void> {
    await figures.close();
    await side.close();
    await closeListener(admin);
  }

  const start = () => (started ??= startOnce());
  const close = () => (closed ??= closeOnce());
  return {
    /** Waits for what requests need. To be called before the first request that a host hands on; `listen` calls it. */
    start,
    /** Opens both listeners; rejects if a port is taken. */
    async listen(): Promise<{ port: number; adminPort: number }> {
      await start();
      const adminPort = await openListener(admin, { host, port });
      const publicPort = await side.listen();
      log.info({ port: publicPort, adminPort, redis: redisState(side.checks()) }, 'listening');
      return { port: publicPort, adminPort };
    },
    async drain(): Promise<void> {
      log.info({}, 'draining');
      figures.events.end();
      const hosted = side.leaveHost();
      if (admin.listening) await side.leave({ othersListen: false });
      await hosted;
      await close();
    },
    /** Closes at once. */
    close,
  };
}

/** Creates a gateway. It does not listen before `listen`. */
export function createGateway(served: ServedConfig, { reloading, fixed, ...services }: GatewayServices) {
  const { log } = services;
  const side = createPublicSide(served, services);
  let draining = false;
  const reloader = createGatewayReloader(served, side, { reloading, log }, () => draining);
  const config = (): Overview['config'] => reloader?.status ?? inForceOf(side);
  const figures = openFigures({
    sampled: () => side.metrics.sampled(),
    clock: services.clock,
    log,
    served: () => ({ gateway: side.inForce().config, compiled: side.inForce().compiled }),
    status: () => ({ scope: 'process', version: services.version, processes: 1, draining, config: config() }),
    quality: () => side.quality(),
    fleet: side.fleet,
    callers: side.callers,
    name: services.instance ?? 'gateway',
    tracker: side.tracker,
    act: side.act,
    reloads: () => reloader?.reloads() ?? [],
    tell: side.tell,
  });
  const actions = {
    ...figures.actions,
    ...(reloader === undefined ? createFixedActions(served, side, fixed) : createConfigActions(reloader)),
  };
  const operators = createAdminApp({
    ...side,
    act: createAct(actions, { otherwise: side.act }),
    events: figures.events,
    draining: () => draining,
    tokens: () => side.inForce().tokens,
    config,
    ...{ log, clock: services.clock, version: services.version },
  });
  const life = createLifecycle({ side, figures, admin: createAdminServer(operators), log, served });
  return {
    handler: side.handler,
    /** Answers the requests of operators, as the operator's listener does. */
    operators,
    metrics: side.metrics,
    inForce: side.inForce,
    /** The state of the gateway, and of what it depends on. */
    status: () => ({ version: services.version, draining, config: config(), checks: side.checks() }),
    /** Reads the configuration again, and puts it in force if it is sound. */
    reload: reloader?.reload,
    ...life,
    /** Stops gracefully: reports "not ready", serves on for `listen.drain`, finishes running requests, and closes. */
    async drain(): Promise<void> {
      draining = true;
      await life.drain();
    },
  };
}
