import type { Server } from 'node:http';
import { createServer as createAdminServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createAdminApp } from './admin/app.ts';
import { createMetrics, type Metrics } from './admin/metrics.ts';
import type { GatewayConfig } from './config/gateway-schema.ts';
import { operations } from './contract/operations.ts';
import { createApp } from './http/app.ts';
import { createDrain } from './http/drain.ts';
import { createServer } from './http/server.ts';
import type { Clock } from './kernel/clock.ts';
import { createAdmission } from './pipeline/admission.ts';
import type { CompiledResource } from './pipeline/compile-sources.ts';
import { createOperations } from './pipeline/create-operations.ts';
import { createCache } from './store/cache.ts';
import { createLocalPurges, createSharedPurges } from './store/purges.ts';
import { createRedisKeys } from './store/redis-keys.ts';
import { redisProfile } from './store/redis-profile.ts';
import { createRedis, type RedisConnection } from './store/redis.ts';

/** What a gateway is given by the process. */
export type GatewayServices = {
  readonly log: Logger;
  readonly clock: Clock;
  /** The OpenAPI document as it is served. */
  readonly openapi: Buffer;
  readonly version: string;
  readonly nodeVersion: string;
};

/** A gateway: two listeners and everything behind them. */
export type Gateway = {
  /** Opens both listeners; rejects where a port is taken. */
  listen(): Promise<{ port: number; adminPort: number }>;
  /** Leaves gracefully: not ready, serve on for `listen.drain`, finish what is under way, close. */
  drain(): Promise<void>;
  /** Closes at once. */
  close(): Promise<void>;
};

const DEADLINE_MS_DEFAULT = 10_000;

/** The default of config/portico.yaml, which everybody can read. */
const TRIAL_PEPPER = 'a-pepper-for-trying-out-only';

function listenOn(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function connectRedis({ redis }: GatewayConfig, log: Logger): RedisConnection | undefined {
  const profile = redisProfile(redis);
  return profile && createRedis(profile, log);
}

function endpointNames(config: GatewayConfig): readonly string[] {
  return [
    ...operations.map(({ name }) => name),
    'openapi',
    ...config.passthrough.map(({ name }) => `passthrough.${name}`),
  ];
}

function longestDeadline({ resources, passthrough }: GatewayConfig): number {
  const served = Object.values(resources).map((resource) => resource?.deadline ?? 0);
  return Math.max(DEADLINE_MS_DEFAULT, ...served, ...passthrough.map((route) => route.deadline));
}

/** The composition root: puts a gateway together; nothing listens before `listen`. */
export function createGateway(
  config: GatewayConfig,
  compiled: readonly CompiledResource[],
  { log, clock, openapi, version, nodeVersion }: GatewayServices,
): Gateway {
  if (config.auth.apiKeys?.pepper.reveal() === TRIAL_PEPPER) {
    log.warn({}, 'auth.apiKeys.pepper is the published one: set PORTICO_KEY_PEPPER before making real keys');
  }
  const metrics: Metrics = createMetrics({ operations: endpointNames(config), version, nodeVersion });
  const redis = connectRedis(config, log);
  const keys = createRedisKeys(config.redis.prefix);
  const admission = createAdmission(config, { redis, keys, clock, metrics, log });
  const purges = redis === undefined ? createLocalPurges() : createSharedPurges(redis.client, keys);
  const cache = createCache({
    clock,
    localBytes: config.cache.localBytes,
    localSeconds: config.cache.localSeconds,
    redis:
      redis === undefined ? undefined : { client: redis.client, keyOf: (...parts) => keys.cache(...parts) },
    purges,
    onEvent: metrics.cacheEvent,
  });
  const served = createOperations(compiled, {
    admission,
    cache,
    purges,
    jitter: config.cache.jitter,
    redis,
    keys,
    clock,
    log,
    metrics,
    contract: config.contract,
  });

  const app = createApp({
    operations: served.operations,
    openapi,
    passthrough: { routes: config.passthrough, admit: admission.admit },
    trustProxy: config.listen.trustProxy,
    serverStatus: config.errors.serverStatus,
    cors: config.cors,
    log,
    clock,
    onFinish: (operation, status, trace, seconds) => metrics.request(operation, status, trace.cache, seconds),
  });
  const server = createServer(
    app,
    { connectionsMax: config.listen.connectionsMax, deadlineMsMax: longestDeadline(config) },
    { log, onRefused: (status) => metrics.request('none', status, 'none', 0) },
  );

  let draining = false;
  const checks = redis === undefined ? [] : [{ name: 'redis', ready: () => redis.isReady() }];
  const admin = createAdminServer(
    createAdminApp({
      checks,
      draining: () => draining,
      metrics,
      quality: () => served.quality(),
      purge: (tag) => purges.purge(tag),
    }),
  );
  const leave = createDrain({ server, drainMs: config.listen.drain, onNotReady: () => (draining = true) });

  async function release(): Promise<void> {
    app.close();
    await served.close();
    admission.close();
    purges.close();
    await closeServer(admin);
    await redis?.close();
  }

  return {
    async listen() {
      // Requests that come before Redis is there would only count its absence.
      await redis?.untilReady(config.redis.connectTimeout);
      await purges.look();
      const adminPort = await listenOn(admin, config.admin);
      const port = await listenOn(server, config.listen);
      log.info({ port, adminPort, redis: redis !== undefined }, 'listening');
      return { port, adminPort };
    },
    async drain() {
      log.info({}, 'draining');
      await leave();
      await release();
    },
    async close() {
      await closeServer(server);
      await release();
    },
  };
}
