import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Problem } from '../../config/yaml/problem.ts';
import { type RedisRole, redisRoles } from '../../config/schema/redis.ts';
import { evictionNote } from '../../store/redis/health/memory.ts';
import { type RedisProfile, redisProfiles } from '../../store/redis/redis-profile.ts';
import { createRedis } from '../../store/redis/redis.ts';

/** A check may run on a machine that cannot reach the gateway's Redis, so it does not wait for long. */
const TIMEOUT_MS = 1_000;

/** What an eviction policy may delete in the Redis of each role. */
const EVICTION_EFFECTS: Readonly<Record<RedisRole, string>> = {
  keys: 'keeps API keys',
  limits: 'keeps counts of limits',
  cache: 'makes room for new answers',
};

async function askRedis(profile: RedisProfile, roles: readonly RedisRole[]): Promise<string | undefined> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const redis = createRedis({ ...profile, commandTimeoutMs: TIMEOUT_MS }, quiet, roles);
  const unknown = `whether its maxmemory-policy ${EVICTION_EFFECTS[roles[0] ?? 'keys']} is not known`;
  try {
    if (!(await redis.untilReady(TIMEOUT_MS))) return `Redis cannot be reached from here: ${unknown}`;
    return (await evictionNote(redis.client, roles))?.message;
  } catch {
    return `Redis does not report its maxmemory-policy: ${unknown}`;
  } finally {
    await redis.close();
  }
}

/** Finds what an operator should know of every Redis in a configuration, such as a policy that evicts keys. Never rejects. */
export async function redisNotes(file: string, { redis }: GatewayConfig): Promise<readonly Problem[]> {
  const asked = redisProfiles(redis).map(async ({ profile, roles }) => {
    const message = await askRedis(profile, roles);
    const path = roles.length === redisRoles.length ? 'redis' : `redis (${roles.join(', ')})`;
    return message === undefined ? [] : [{ file, path, message }];
  });
  return (await Promise.all(asked)).flat();
}
