// Builds the public side of a process that serves: the listener for callers, and everything behind it. A worker has no more.

import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { ActionHandlers } from '../../admin/actions/act.ts';
import { createOperatorActions, type OperatorActions } from '../../admin/operator-actions.ts';
import { knownSeries } from '../../admin/metrics/known-series.ts';
import { createMetrics, type Metrics, type MetricsDeps } from '../../admin/metrics/metrics.ts';
import { createRedisChecks } from '../../admin/redis-checks.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { hasPublishedPepper } from '../../config/validate/lint-gateway.ts';
import { type App, createApp } from '../../http/app.ts';
import { createDrain } from '../../http/listener/drain.ts';
import { closeListener, openListener } from '../../http/listener/open-listener.ts';
import { createServer, setServerLimits } from '../../http/server.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { HostAuthentication } from '../../pipeline/stages/authentication/host-principal.ts';
import type { Migrations } from '../../migration/migrations.ts';
import { withTargets } from '../../source/compile-sources.ts';
import { createSharedComponents } from '../../kernel/shared-components.ts';
import type { QuotaOf } from '../../source/source-upstreams.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { createLocalQuotas } from '../../source/client/bulkhead/shared-quota.ts';
import { type OpenedMigrations, openMigrations } from './open-migrations.ts';
import { openStores } from './open-stores.ts';
import { openWebhooks } from './open-webhooks.ts';
import { openTracker, withTracker } from './open-incident-tracker.ts';
import { createSnapshot, type ServedConfig, type Snapshot } from './snapshot.ts';
import { createSnapshotHolder } from './snapshot-holder.ts';

/** What the process provides for the public side of a gateway. */
export type PublicServices = Omit<MetricsDeps, 'operations'> & {
  readonly log: Logger;
  readonly clock: Clock;
  /** Creates the actions that explain requests by the configuration in force. */
  readonly createExplainActions: (deps: {
    readonly served: () => Pick<Snapshot, 'config' | 'compiled' | 'rev' | 'digest'>;
    readonly closing: AbortSignal;
  }) => ActionHandlers;
  /** The runbook as Markdown; absent: there is none. */
  readonly runbook?: string | undefined;
  /** The host of the library, if it authenticates callers. */
  readonly host?: HostAuthentication | undefined;
  /** Records spans; it is closed with the gateway. Absent: tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** This process in the audit, such as `host-1:4711`; absent: `gateway`. */
  readonly instance?: string | undefined;
  /** This process's quota of the concurrent calls of a source; absent if it is the only process. */
  readonly quotaOf?: QuotaOf | undefined;
};

/** A configuration that is ready to be put in force. Call exactly one of the two functions, once. */
export type StagedConfig = Awaited<ReturnType<ReturnType<typeof createStage>>>;

/** The public listener and everything behind it. */
export type PublicSide = ReturnType<typeof createPublicSide>;

/** Creates the function that puts a snapshot in force, for everything that depends on the configuration. */
function createServeBy(
  server: Server,
  app: App,
  metrics: Metrics,
  { migrations, slow }: { migrations: Pick<Migrations, 'serveBy'>; slow: readonly { slowMs: number }[] },
): (next: Snapshot) => void {
  return function serveBy(next) {
    for (const one of slow) one.slowMs = next.config.admin.slowRequests;
    metrics.knowEndpoints(next.endpoints);
    metrics.serveSources([
      ...withTargets(next.compiled).map(({ source }) => source.spec.name),
      ...next.config.passthrough.map(({ name }) => `passthrough.${name}`),
    ]);
    metrics.declare(knownSeries(next.config, next.compiled, next.endpoints));
    metrics.configInForce(next.digest);
    migrations.serveBy(next.migrations);
    setServerLimits(server, next.limits);
    app.serveBy(next.routing);
  };
}

/** Creates the operator's actions on the snapshot in force. */
function createSideActions(
  snapshots: ReturnType<typeof createSnapshotHolder>,
  { redis, ...stores }: ReturnType<typeof openStores>,
  { log, clock, createExplainActions, instance = 'gateway', runbook = '' }: PublicServices,
  running: {
    readonly metrics: Metrics;
    readonly migrations: OpenedMigrations;
    readonly closing: AbortSignal;
  },
): OperatorActions {
  return createOperatorActions({
    ...{ ...stores, log, clock, instance, runbook, onAuditLine: running.metrics.auditLine },
    others: createExplainActions({ served: () => snapshots.current, closing: running.closing }),
    redis: redis.of.keys,
    config: () => snapshots.current.config,
    quality: () => snapshots.current.quality(),
    countHeld: (tag) => snapshots.current.countHeld(tag),
    migrations: (audit) => running.migrations.operate(audit),
  });
}

function warnOfSetting({ gateway }: { readonly gateway: GatewayConfig }, log: Logger): void {
  if (hasPublishedPepper(gateway))
    log.warn({}, 'auth.apiKeys.pepper is the published one: set PORTICO_KEY_PEPPER before making real keys');
}

/** Creates the function that prepares a change to another configuration. */
function createStage(
  snapshots: ReturnType<typeof createSnapshotHolder>,
  deps: Parameters<typeof createSnapshot>[2],
  serveBy: (next: Snapshot) => void,
  log: Logger,
) {
  return async function stage(next: ServedConfig) {
    await snapshots.untilRoom();
    const staged = createSnapshot(next, snapshots.current.rev + 1, deps);
    /** Serves every new request by this configuration. Running requests end with the configuration with which they began. */
    function apply(): void {
      snapshots.replace(staged);
      serveBy(staged);
      log.level = next.gateway.log.level;
      warnOfSetting(next, log);
    }
    return { apply, discard: () => staged.close() };
  };
}

function watchSnapshots(metrics: Metrics, current: () => Snapshot): void {
  metrics.watchClaims(() => current().disabled());
  metrics.watchLocalCache(() => current().cacheSize());
}

/** Creates the public side of a gateway; it does not listen before `listen`. */
export function createPublicSide(first: ServedConfig, services: PublicServices) {
  const { log, tracing, instance = 'gateway' } = services;
  // A replaced configuration must be freed from memory, so objects that live longer keep only parts of it.
  const { host, port } = first.gateway.listen;
  warnOfSetting(first, log);
  const counted = createMetrics({ ...services, operations: [] });
  const current = () => snapshots.current;
  const bounds = { slowMs: first.gateway.admin.slowRequests };
  const tracker = openTracker(services, { metrics: counted, bounds, current, stores: () => stores });
  const metrics = withTracker(counted, tracker);
  const stores = openStores(first.gateway, services, metrics, tracker);
  const { redis, purges, recent, callers } = stores;
  const app = createApp({ ...services, metrics, recent, callers, onAnswered: tracker.answered });
  const quotaOf = services.quotaOf ?? createLocalQuotas();
  const closing = new AbortController();
  const targets = () => current().config.webhooks;
  const webhooks = openWebhooks({ ...services, metrics, instance, targets });
  const kept = createSharedComponents();
  const parts = { quotaOf, redis: redis.of, metrics, app, kept, tell: webhooks.tell };
  const shared = { ...services, ...stores, ...parts };
  const migrations = openMigrations(first.gateway, { ...shared, webhooks, instance });
  metrics.watchMigrations(migrations);
  const deps = { ...shared, migrations };
  const snapshots = createSnapshotHolder(createSnapshot(first, 1, deps));
  watchSnapshots(metrics, current);
  const server = createServer(app, snapshots.current.limits, { log, metrics });
  const drain = createDrain({ server, drainMs: () => snapshots.current.config.listen.drain });
  const serveBy = createServeBy(server, app, metrics, { migrations, slow: [recent, bounds] });
  serveBy(snapshots.current);

  const running = { metrics, migrations, closing: closing.signal };
  const operator = createSideActions(snapshots, stores, services, running);

  return {
    /** Waits for Redis, for a bounded time; to be called before the first request. */
    async prepare() {
      // Without the wait, the first requests would count as failures of Redis.
      await redis.untilReady();
      await purges.refresh();
      await migrations.states.refresh();
      tracker.start();
    },
    /** Opens the listener; rejects if its port is taken. */
    listen: () => openListener(server, { host, port }),
    handler: app.handler,
    leaveHost: app.leaveHost,
    tracker,
    inForce: () => snapshots.current,
    /** Prepares a change to another configuration. @throws Error if it cannot be assembled */
    stage: createStage(snapshots, deps, serveBy, log),
    checks: createRedisChecks(redis.of, () => snapshots.current.canServe()),
    metrics,
    fleet: stores.fleet,
    tell: webhooks.tell,
    quality: () => snapshots.current.quality(),
    callers: callers.snapshot,
    countHeld: (tag: string) => snapshots.current.countHeld(tag),
    ...operator,
    /** Ends the listener gracefully, see `createDrain`. */
    leave(leaving: Parameters<typeof drain>[0]) {
      app.stopShedding();
      return drain(leaving);
    },
    /** Closes everything at once. */
    async close() {
      tracker.close();
      app.stopShedding();
      closing.abort();
      await closeListener(server);
      await snapshots.close();
      await migrations.close();
      await webhooks.close();
      stores.close();
      operator.audit.close();
      await redis.close();
      await tracing?.close();
    },
  };
}
