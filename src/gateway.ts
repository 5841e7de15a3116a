import { createServer as createAdminServer } from 'node:http';
import type { Logger } from 'pino';
import { type Act, createAct } from './admin/actions/act.ts';
import { createCacheActions, type HeldCount } from './admin/actions/cache-actions.ts';
import { createClaimActions } from './admin/actions/claim-actions.ts';
import { type CheckResult, createAdminApp } from './admin/app.ts';
import { adminTokens } from './admin/guard.ts';
import { knownSeries } from './admin/known-series.ts';
import { createMetrics, type Metrics } from './admin/metrics.ts';
import { redisChecks } from './admin/redis-checks.ts';
import type { GatewayConfig } from './config/schema/gateway.ts';
import { redisRoles } from './config/schema/redis.ts';
import { hasPublishedPepper } from './config/validate/find-notes.ts';
import { operations } from './contract/operations.ts';
import { createApp } from './http/listener/app.ts';
import { createDrain, type Drain } from './http/listener/drain.ts';
import { closeListener, openListener } from './http/listener/open-listener.ts';
import { createServer } from './http/listener/server.ts';
import type { Clock } from './kernel/clock.ts';
import { createAdmission } from './pipeline/admission.ts';
import type { CompiledResource } from './pipeline/compile-sources.ts';
import { assembleAdmission } from './pipeline/assemble.ts';
import { createOperations } from './pipeline/create-operations.ts';
import type { ShareOf } from './pipeline/source-upstreams.ts';
import type { ResourceQuality } from './pipeline/quality.ts';
import { createCache } from './store/cache/cache.ts';
import { createFallenClaims } from './store/fallen-claims.ts';
import { createLocalPurges, createSharedPurges, type Purges } from './store/purges.ts';
import { createRedisKeys } from './store/redis/redis-keys.ts';
import { openRedis } from './store/redis/redis-roles.ts';
import { createContentEncodings } from './store/cache/content-encodings.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** What the process gives a gateway. */
export type GatewayServices = {
  readonly log: Logger;
  readonly clock: Clock;
  /** The OpenAPI document as served. */
  readonly openapi: Buffer;
  readonly version: string;
  readonly nodeVersion: string;
  /** How many lines of the log were dropped because nobody read them; absent: none. */
  readonly droppedLogLines?: (() => number) | undefined;
  /** Records spans, and is closed with the gateway; absent: tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** This process's share of the concurrent calls of a source; absent where it is the only process. */
  readonly shareOf?: ShareOf | undefined;
};

/** The public listener and everything behind it. */
export type PublicSide = {
  /** Waits for Redis, for a bounded time. */
  prepare(): Promise<void>;
  /** Opens the listener; rejects if its port is taken. */
  listen(): Promise<number>;
  checks(): readonly CheckResult[];
  readonly metrics: Metrics;
  quality(): readonly ResourceQuality[];
  /** How many answers and row sets with a tag are in the memory of this process. */
  countHeld(tag: string): HeldCount;
  /** Carries out what an operator asks for. */
  readonly act: Act;
  /** Ends the listener gracefully, see `createDrain`. */
  readonly leave: Drain;
  /** Closes everything at once. */
  close(): Promise<void>;
};

/** A gateway: two listeners and everything behind them. */
export type Gateway = {
  /** Opens both listeners; rejects if a port is taken. */
  listen(): Promise<{ port: number; adminPort: number }>;
  /** Ends gracefully: not ready, serve on for `listen.drain`, finish what is under way, close. */
  drain(): Promise<void>;
  /** Closes at once. */
  close(): Promise<void>;
};

const DEADLINE_MS_DEFAULT = 10_000;

function endpointNames(config: GatewayConfig): readonly string[] {
  return [
    ...operations.map(({ name }) => name),
    'openapi',
    ...config.passthrough.map(({ name }) => `passthrough.${name}`),
  ];
}

function longestDeadlineMs({ resources, passthrough }: GatewayConfig): number {
  const served = Object.values(resources).map((resource) => resource?.deadline ?? 0);
  return Math.max(DEADLINE_MS_DEFAULT, ...served, ...passthrough.map((route) => route.deadline));
}

/** Opens the connections to Redis, and what is kept in Redis or in this process. */
function openStores(
  { redis: spec, cache: limits }: GatewayConfig,
  { log, clock }: GatewayServices,
  metrics: Metrics,
) {
  const redis = openRedis(spec, log);
  for (const role of redisRoles) {
    const connection = redis.of[role];
    if (connection !== undefined) metrics.watchRedis(role, () => connection.health().state);
  }
  const keys = createRedisKeys(spec.prefix);
  const client = redis.of.cache?.client;
  const purges: Purges =
    client === undefined
      ? createLocalPurges()
      : createSharedPurges(client, keys, (notes) => fallenClaims.apply(notes));
  const fallenClaims = createFallenClaims(purges, clock);
  const { localBytes, localSeconds, compression } = limits;
  const cache = createCache({
    clock,
    localBytes,
    localSeconds,
    redis: client && { client, keyOf: (...parts) => keys.cache(...parts) },
    purges,
    attachEncodings:
      compression === 'auto'
        ? createContentEncodings(localBytes, (made) => metrics.compressed(made))
        : undefined,
    onEvent: metrics.cacheEvent,
  });
  return { redis, keys, purges, fallenClaims, cache };
}

/** Creates the public side of a gateway; it does not listen before `listen`. */
export function createPublicSide(
  config: GatewayConfig,
  compiled: readonly CompiledResource[],
  services: GatewayServices,
): PublicSide {
  const { log, clock, openapi, tracing, shareOf } = services;
  if (hasPublishedPepper(config))
    log.warn({}, 'auth.apiKeys.pepper is the published one: set PORTICO_KEY_PEPPER before making real keys');
  const endpoints = endpointNames(config);
  const metrics = createMetrics({ ...services, operations: endpoints });
  metrics.declare(knownSeries(config, compiled, endpoints));
  const { redis, keys, purges, fallenClaims, cache } = openStores(config, services, metrics);
  const shared = { redis: redis.of, keys, clock, metrics, log };
  const admission = createAdmission(config, shared);
  const served = createOperations(compiled, {
    ...shared,
    admission,
    cache,
    purges,
    fallenClaims,
    jitterPercent: config.cache.jitter,
    contract: config.contract,
    shareOf,
  });
  metrics.watchClaims(() => served.fallen());
  const app = createApp({
    operations: served.operations,
    openapi,
    passthrough: { routes: config.passthrough, admit: assembleAdmission(admission) },
    trustProxy: config.listen.trustProxy,
    serverStatus: config.errors.serverStatus,
    cors: config.cors,
    compression: config.cache.compression,
    overload: config.overload,
    ...{ log, clock, tracing, metrics },
  });
  const { connectionsMax, drain: drainMs } = config.listen;
  const limits = { connectionsMax, deadlineMsMax: longestDeadlineMs(config) };
  const server = createServer(app, limits, { log, metrics });
  const drain = createDrain({ server, drainMs });
  const countHeld = (tag: string): HeldCount => ({
    processes: 1,
    answers: cache.countLocal(tag),
    rowSets: served.countRowSets(tag),
  });

  return {
    async prepare() {
      // Requests before the connection to Redis would only be counted as its failures.
      await redis.untilReady();
      await purges.refresh();
    },
    listen: () => openListener(server, config.listen),
    checks: () => redisChecks(redis.of),
    metrics,
    quality: () => served.quality(),
    countHeld,
    act: createAct({
      quality: () => ({ sources: served.quality() }),
      ...createCacheActions({ purges, countHeld }),
      ...createClaimActions(fallenClaims),
    }),
    leave(leaving) {
      app.stopShedding();
      return drain(leaving);
    },
    async close() {
      app.stopShedding();
      await closeListener(server);
      app.close();
      await served.close();
      admission.close();
      purges.close();
      await redis.close();
      await tracing?.close();
    },
  };
}

/** The composition root: creates a gateway, which does not listen before `listen`. */
export function createGateway(
  config: GatewayConfig,
  compiled: readonly CompiledResource[],
  services: GatewayServices,
): Gateway {
  const { log } = services;
  const side = createPublicSide(config, compiled, services);
  const tokens = adminTokens(config.admin);
  let draining = false;
  const admin = createAdminServer(
    createAdminApp({ ...side, draining: () => draining, tokens: () => tokens, log }),
  );

  async function close(): Promise<void> {
    await side.close();
    await closeListener(admin);
  }

  return {
    async listen() {
      await side.prepare();
      const adminPort = await openListener(admin, config.admin);
      const port = await side.listen();
      log.info({ port, adminPort, redis: side.checks().length > 0 }, 'listening');
      return { port, adminPort };
    },
    async drain() {
      log.info({}, 'draining');
      draining = true;
      await side.leave({ othersListen: false });
      await close();
    },
    close,
  };
}
