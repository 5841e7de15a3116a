// Derives from the configuration how to connect to the Redis of each role (API keys, limits, cache).

import type { ConnectionOptions } from 'node:tls';
import {
  hasAddress,
  type RedisConfig,
  type RedisRole,
  type RedisRoleConfig,
  redisRoles,
} from '../../config/schema/redis.ts';

/** The address of a server. */
export type RedisNode = { readonly host: string; readonly port: number };

/** Credentials and TLS of a Redis without a URL. */
export type RedisAccess = {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Present: every connection uses TLS. */
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'servername'> | undefined;
};

/** Some nodes of a Redis Cluster; they name the others. */
export type ClusterServers = { readonly cluster: readonly RedisNode[]; readonly access: RedisAccess };

/** Sentinels, which know the address of the master. */
export type SentinelServers = {
  readonly sentinel: {
    /** The name of the master among the sentinels. */
    readonly name: string;
    readonly nodes: readonly RedisNode[];
    /** The credentials of the sentinels themselves. */
    readonly username?: string | undefined;
    readonly password?: string | undefined;
  };
  readonly access: RedisAccess;
};

/** One server: `redis://…` or `rediss://…`, with credentials if Redis requires them. */
export type SingleServer = { readonly url: string; readonly access?: RedisAccess | undefined };

/** The timeouts of a connection, in milliseconds. Time in which this process stood still does not count as waiting. */
export type RedisTimes = {
  /** How long a command may take before it fails. */
  readonly commandTimeoutMs: number;
  readonly connectTimeoutMs: number;
};

/**
 * All settings with which a connection is opened. It holds passwords as plain text, so it must not be logged. Roles with
 * equal profiles share a connection.
 */
export type RedisProfile = RedisTimes & (SingleServer | ClusterServers | SentinelServers);

function placeOf(
  redis: RedisConfig | RedisRoleConfig,
): SingleServer | ClusterServers | SentinelServers | undefined {
  const { url, cluster, sentinel, tls } = redis;
  const access = {
    username: redis.username,
    password: redis.password?.reveal(),
    tls: tls && { ca: tls.ca, servername: tls.serverName },
  };
  if (url !== undefined) return { url: url.reveal(), access };
  if (cluster !== undefined) return { cluster, access };
  if (sentinel === undefined) return undefined;
  return { sentinel: { ...sentinel, password: sentinel.password?.reveal() }, access };
}

/**
 * The connection settings of a role: its own, or those of the main Redis; `undefined` if nothing of the role is stored
 * in Redis.
 */
export function redisProfile(redis: RedisConfig, role: RedisRole): RedisProfile | undefined {
  const own = redis[role];
  const place = placeOf(own !== undefined && hasAddress(own) ? own : redis);
  if (place === undefined) return undefined;
  return {
    ...place,
    commandTimeoutMs: own?.commandTimeout ?? redis.commandTimeout,
    connectTimeoutMs: own?.connectTimeout ?? redis.connectTimeout,
  };
}

/** The different profiles of a configuration, each with the roles that share it. */
export function redisProfiles(
  redis: RedisConfig,
): readonly { readonly profile: RedisProfile; readonly roles: readonly RedisRole[] }[] {
  const found = new Map<string, { profile: RedisProfile; roles: RedisRole[] }>();
  for (const role of redisRoles) {
    const profile = redisProfile(redis, role);
    if (profile === undefined) continue;
    const same = JSON.stringify(profile);
    const known = found.get(same) ?? { profile, roles: [] };
    known.roles.push(role);
    found.set(same, known);
  }
  return [...found.values()];
}
