import type { GatewayConfig } from '../config/gateway-schema.ts';
import { createRedisKeys, type RedisKeys } from '../store/redis-keys.ts';
import { createRedis, type RedisConnection } from '../store/redis.ts';

/** An operator can wait longer for Redis than a request may. */
const PATIENCE_MS = 2_000;

/**
 * Does some work on the Redis of a configuration; `without` is what the operator is told where there is none.
 * @throws Error made for the operator
 */
export async function withRedis<T>(
  { redis: { url, prefix, connectTimeout } }: GatewayConfig,
  err: (text: string) => void,
  without: string,
  work: (client: RedisConnection['client'], keys: RedisKeys) => Promise<T>,
): Promise<T> {
  if (url === undefined) throw new Error(`the configuration has no redis.url; ${without}`);
  const log = {
    info: () => undefined,
    warn: (fields: object, message: string) => err(`${message}: ${JSON.stringify(fields)}\n`),
  };
  const redis = createRedis(
    { url: url.reveal(), connectTimeoutMs: connectTimeout, commandTimeoutMs: PATIENCE_MS },
    log,
  );
  try {
    if (!(await redis.untilReady(PATIENCE_MS))) throw new Error('Redis cannot be reached');
    return await work(redis.client, createRedisKeys(prefix));
  } finally {
    await redis.close();
  }
}
