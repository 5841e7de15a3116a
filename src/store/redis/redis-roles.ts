import type { RedisConfig, RedisRole } from '../../config/schema/redis.ts';
import { redisProfiles } from './redis-profile.ts';
import { createRedis, type RedisConnection, type RedisLog } from './redis.ts';

/** The connection of each role; `undefined` where nothing of the role is kept in Redis. */
export type RedisByRole = Readonly<Record<RedisRole, RedisConnection | undefined>>;

/** The connections of a gateway: roles whose settings are the same share one. */
export type RedisConnections = {
  readonly of: RedisByRole;
  /** Waits for all of them, for each as long as connecting may take. */
  untilReady(): Promise<void>;
  close(): Promise<void>;
};

/** Connects to every Redis of a configuration. Where there are several, the log says which roles are concerned. */
export function openRedis(redis: RedisConfig, log: RedisLog): RedisConnections {
  const of: Record<RedisRole, RedisConnection | undefined> = {
    keys: undefined,
    limits: undefined,
    cache: undefined,
  };
  const profiles = redisProfiles(redis);
  const opened = profiles.map(({ profile, roles }) => {
    const told: RedisLog = {
      info: (fields, message) => log.info({ ...fields, roles }, message),
      warn: (fields, message) => log.warn({ ...fields, roles }, message),
    };
    const connection = createRedis(profile, profiles.length === 1 ? log : told, roles);
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
