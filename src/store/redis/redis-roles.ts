import type { RedisConfig, RedisRole } from '../../config/schema/redis.ts';
import { redisProfiles } from './redis-profile.ts';
import { createRedis, type RedisConnection, type RedisLog } from './redis.ts';

/** The Redis connection of each role (API keys, limits, cache); `undefined` if nothing of the role is stored in Redis. */
export type RedisByRole = Readonly<Record<RedisRole, RedisConnection | undefined>>;

/**
 * Connects to every Redis of a configuration; roles with equal settings share a connection. If there are several, the log names
 * the roles of each.
 */
export function openRedis(redis: RedisConfig, log: RedisLog) {
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
    of: of as RedisByRole,
    /** Waits for all connections, for each at most its connect timeout. */
    async untilReady(): Promise<void> {
      await Promise.all(
        opened.map(({ connection, connectTimeoutMs }) => connection.untilReady(connectTimeoutMs)),
      );
    },
    async close(): Promise<void> {
      await Promise.all(opened.map(({ connection }) => connection.close()));
    },
  };
}
