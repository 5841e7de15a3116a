import type { GatewayConfig } from '../config/gateway-schema.ts';
import type { Problem } from '../config/problem.ts';
import { evictionAdvice, evictionOfKeys } from '../store/eviction.ts';
import { redisProfile } from '../store/redis-profile.ts';
import { createRedis } from '../store/redis.ts';

/** A check may be made where the gateway's Redis cannot be reached. */
const PATIENCE_MS = 1_000;

async function askRedis(profile: NonNullable<ReturnType<typeof redisProfile>>): Promise<string | undefined> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const redis = createRedis({ ...profile, commandTimeoutMs: PATIENCE_MS }, quiet);
  try {
    if (!(await redis.untilReady(PATIENCE_MS)))
      return 'Redis cannot be reached from here: whether its maxmemory-policy keeps API keys is not known';
    const policy = await evictionOfKeys(redis.client);
    return policy === undefined ? undefined : evictionAdvice(policy);
  } catch {
    return 'Redis does not tell its maxmemory-policy: whether it keeps API keys is not known';
  } finally {
    await redis.close();
  }
}

/** What an operator should know of the Redis that a configuration names. Never rejects. */
export async function redisNotes(file: string, { redis }: GatewayConfig): Promise<readonly Problem[]> {
  const profile = redisProfile(redis);
  const message = profile && (await askRedis(profile));
  return message === undefined ? [] : [{ file, path: 'redis', message }];
}
