import type { RedisConfig, RedisRole } from '../../config/schema/redis.ts';
import { redisProfiles } from './redis-profile.ts';
import { createRedis, type RedisConnection, type RedisLog } from './redis.ts';

/** The Redis connection of each role (API keys, limits, cache); `undefined` if nothing of the role is stored in Redis. */
export type RedisByRole = Readonly<Record<RedisRole, RedisConnection | undefined>>;

/** The connections of a gateway: roles with equal settings share one. */
export type RedisConnections = {
  readonly of: RedisByRole;
  /** Waits for all connections, for each at most its connect timeout. */
  untilReady(): Promise<void>;
  close(): Promise<void>;
};

/** Connects to every Redis of a configuration. If there are several, the log names the roles of each. */
export function openRedis(redis: RedisConfig, log: RedisLog): RedisConnections {
  const of: Record<RedisRole, RedisConnection | undefined> = {
    keys: undefined,
    limits: undefined,
    cache: undefined,
  };
  const profiles = redisProfiles(redis);
  const opened = profiles.map(({ profile, roles }) => {
    const roleLog: RedisLog = {
      info: (fields, message) => log.info({ ...fields, roles }, message),
      warn: (fields, message) => log.warn({ ...fields, roles }, message),
    };
    const connection = createRedis(profile, profiles.length === 1 ? log : roleLog, roles);
    for (const role of roles) of[role] = connection;
    return { connection, connectTimeoutMs: profile.connectTimeoutMs };
  });
  return {
    of,
    async untilReady() {
      await Promise.all(
        opened.map(({ connection, connectTimeoutMs }) => connection.untilReady(connectTimeoutMs)),
      );
    },
    async close() {
      await Promise.all(opened.map(({ connection }) => connection.close()));
    },
  };
}
