// The options of ioredis for one server, sentinels and a cluster. They make commands fail fast instead of waiting in a queue.

import type { ClusterOptions, RedisOptions } from 'ioredis';
import type { ClusterServers, RedisAccess, RedisTimes, SentinelServers } from './redis-profile.ts';

const RECONNECT_MS_MAX = 300;
const FAILOVER_MS = 5_000;
/** How long Redis may take to close the connection. It is short, because ioredis' timer keeps the process alive so long. */
const DISCONNECT_MS_MAX = 100;
/** How often the slots of a cluster are read again even if nothing seems to have changed. */
const MAP_MS = 2_000;

/** 50 ms, doubled with every attempt up to 300 ms; half of it is random, so that a fleet does not reconnect at the same time. */
function reconnectDelayMs(attempt: number): number {
  const ceiling = Math.min(RECONNECT_MS_MAX, 50 * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + (Math.random() * ceiling) / 2);
}

/**
 * Decides which errors of commands cause a reconnect. After a failover the old master replies READONLY; a restarting Redis
 * replies LOADING or MASTERDOWN. There is at most one reconnect per `FAILOVER_MS`, because otherwise every command would
 * drop the connection while Redis stays in this state.
 */
function createReconnectOnError(): (error: Error) => boolean {
  let reconnectedAt = -Infinity;
  return ({ message }) => {
    const now = performance.now();
    if (now - reconnectedAt < FAILOVER_MS || !/^(READONLY|LOADING|MASTERDOWN)/.test(message)) return false;
    reconnectedAt = now;
    return true;
  };
}

/**
 * No caller may wait for Redis longer than the command timeout, whatever the state of Redis; `attachWatchdog` ensures that.
 * With its defaults, ioredis would queue commands and send them again, for more than a minute (redis/ioredis#76, #1351).
 */
function connectOptions({ connectTimeoutMs }: RedisTimes) {
  return {
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: DISCONNECT_MS_MAX,
  } satisfies RedisOptions;
}

function accessOf({ username, password, tls }: RedisAccess = {}) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls !== undefined && { tls }),
  } satisfies RedisOptions;
}

/** The options for one server. */
export function singleOptions(times: RedisTimes, access?: RedisAccess) {
  return {
    ...connectOptions(times),
    ...accessOf(access),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelayMs,
    reconnectOnError: createReconnectOnError(),
  } satisfies RedisOptions;
}

/**
 * The options for the master that sentinels name. The sentinels are asked again after each lost connection, also if it was
 * dropped because the server replied READONLY. ioredis' `failoverDetector` is not used, because its connections outlive the
 * client.
 */
export function sentinelOptions(times: RedisTimes, { sentinel, access }: SentinelServers) {
  return {
    ...singleOptions(times, access),
    sentinels: sentinel.nodes.map(({ host, port }) => ({ host, port })),
    name: sentinel.name,
    role: 'master' as const,
    sentinelRetryStrategy: reconnectDelayMs,
    // If a sentinel hangs, the other sentinels must still be asked.
    sentinelCommandTimeout: times.connectTimeoutMs,
    ...(sentinel.username !== undefined && { sentinelUsername: sentinel.username }),
    ...(sentinel.password !== undefined && { sentinelPassword: sentinel.password }),
    ...(access.tls !== undefined && { enableTLSForSentinelMode: true, sentinelTLS: access.tls }),
  } satisfies RedisOptions;
}

/** The options for a cluster. Replicas are never read, because they may still have keys that have expired. */
export function clusterOptions(times: RedisTimes, { access }: ClusterServers) {
  return {
    redisOptions: { ...connectOptions(times), ...accessOf(access) },
    enableOfflineQueue: false,
    scaleReads: 'master' as const,
    clusterRetryStrategy: reconnectDelayMs,
    // If a node fails, its commands are not sent again, because they may have been executed.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 10,
    slotsRefreshTimeout: times.connectTimeoutMs,
    slotsRefreshInterval: MAP_MS,
    // Certificates are issued for names, but ioredis would connect to the resolved address.
    ...(access.tls !== undefined && {
      dnsLookup: (host: string, done: (error: null, address: string) => void) => done(null, host),
    }),
  } satisfies ClusterOptions;
}
