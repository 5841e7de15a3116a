import { createRedis, type RedisConnection } from '../../../src/store/redis/redis.ts';
import { PATIENCE_MS, patientTimes } from '../gateway/generous-timeouts.ts';

/** A log that keeps nothing. */
export const silentLog = { info: () => undefined, warn: () => undefined };

/** A connection as a gateway has it, which is ready, and which a busy machine does not make look lost. */
export async function connectRedis(url: string): Promise<RedisConnection> {
  const redis = createRedis({ url, ...patientTimes }, silentLog);
  if (!(await redis.untilReady(PATIENCE_MS))) throw new Error('the test has no Redis');
  return redis;
}
