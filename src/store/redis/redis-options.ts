import type { ClusterOptions, RedisOptions } from 'ioredis';
import type { ClusterServers, RedisAccess, RedisTimes, SentinelServers } from './redis-profile.ts';

const RECONNECT_MS_MAX = 300;
const FAILOVER_MS = 5_000;
/** How long Redis may take to hang up. ioredis keeps this timer, and the process, even where nobody is left to. */
const GOODBYE_MS_MAX = 100;
/** How often the map of a cluster is read again where nothing has said that it changed. */
const MAP_MS = 2_000;

/** 50 ms, doubled with every attempt up to 300 ms, and half of it by chance: a fleet must not return in step. */
function reconnectDelayMs(attempt: number): number {
  const ceiling = Math.min(RECONNECT_MS_MAX, 50 * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + (Math.random() * ceiling) / 2);
}

/**
 * Says which errors of commands ask for another connection: after a failover the old master says READONLY, a
 * restarting Redis LOADING or MASTERDOWN. One of them in `FAILOVER_MS`: where Redis stays like that, every command
 * would drop the connection anew.
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
 * A caller must never wait for Redis longer than the command timeout, whatever state Redis is in; `failWhileSilent` sees
 * to that. ioredis' own defaults keep commands in queues and send them again, for more than a minute (redis/ioredis#76,
 * #1351).
 */
function patienceOf({ connectTimeoutMs }: RedisTimes) {
  return {
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: GOODBYE_MS_MAX,
  } satisfies RedisOptions;
}

function accessOf({ username, password, tls }: RedisAccess = {}) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls !== undefined && { tls }),
  } satisfies RedisOptions;
}

/** The options of a connection to one server. */
export function singleOptions(times: RedisTimes, access?: RedisAccess) {
  return {
    ...patienceOf(times),
    ...accessOf(access),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelayMs,
    reconnectOnError: createReconnectOnError(),
  } satisfies RedisOptions;
}

/**
 * The options of a connection to the master that sentinels name. They are asked whenever a connection was lost, or was
 * dropped because its server says READONLY. ioredis' `failoverDetector` is left out: what it opens outlives the client.
 */
export function sentinelOptions(times: RedisTimes, { sentinel, access }: SentinelServers) {
  return {
    ...singleOptions(times, access),
    sentinels: sentinel.nodes.map(({ host, port }) => ({ host, port })),
    name: sentinel.name,
    role: 'master' as const,
    sentinelRetryStrategy: reconnectDelayMs,
    // A sentinel that hangs must not keep the others from being asked.
    sentinelCommandTimeout: times.connectTimeoutMs,
    ...(sentinel.username !== undefined && { sentinelUsername: sentinel.username }),
    ...(sentinel.password !== undefined && { sentinelPassword: sentinel.password }),
    ...(access.tls !== undefined && { enableTLSForSentinelMode: true, sentinelTLS: access.tls }),
  } satisfies RedisOptions;
}

/** The options of a connection to a cluster. Replicas are never read: they may not know yet of a key's end. */
export function clusterOptions(times: RedisTimes, { access }: ClusterServers) {
  return {
    redisOptions: { ...patienceOf(times), ...accessOf(access) },
    enableOfflineQueue: false,
    scaleReads: 'master' as const,
    clusterRetryStrategy: reconnectDelayMs,
    // A command that failed with its node is not sent again: it may have been carried out.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 10,
    slotsRefreshTimeout: times.connectTimeoutMs,
    slotsRefreshInterval: MAP_MS,
    // A certificate is made out to a name, and ioredis would connect to the address it stands for.
    ...(access.tls !== undefined && {
      dnsLookup: (host: string, done: (error: null, address: string) => void) => done(null, host),
    }),
  } satisfies ClusterOptions;
}
