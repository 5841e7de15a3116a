import type { RedisRole } from '../../config/schema/redis.ts';
import { redisHint } from '../../store/redis/health/redis-hint.ts';
import { plainRedisError } from '../../store/redis/redis.ts';
import { ActionRefusal } from '../api/action.ts';

/** Does some work, and turns a failure of Redis into a refusal with its reason; `role` is only named in it. @throws ActionRefusal */
export async function refuseIfRedisFails<T>(role: RedisRole, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ActionRefusal) throw error;
    const { message } = plainRedisError(error);
    throw new ActionRefusal(
      'unavailable',
      `the Redis of the role ${role} failed: ${message}`,
      redisHint(message) ?? 'look at /readyz and at that Redis, and repeat it once Redis is back',
    );
  }
}
