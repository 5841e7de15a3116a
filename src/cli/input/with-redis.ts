// Connects a command to a Redis of the configuration while it works there without a gateway, as `portico keys create` does.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { RedisRole } from '../../config/schema/redis.ts';
import { plainCause } from '../../kernel/plain-cause.ts';
import { ExitError, exitCodes } from '../context/context.ts';
import { createRedisKeys, type RedisKeys } from '../../store/redis/redis-keys.ts';
import { redisProfile } from '../../store/redis/redis-profile.ts';
import { createRedis, type RedisConnection } from '../../store/redis/redis.ts';

/** A command waits for Redis at least this long, even if requests wait for a shorter time. */
const TIMEOUT_MS = 2_000;

/** The hint if the configuration has no Redis, for a command that can ask a running gateway. */
const ASK_GATEWAY_HINT =
  'in the embedded mode add --gateway http://127.0.0.1:9090, which asks the running gateway';

/** The role whose Redis is used, and a hint for the operator if the configuration has none. */
export type RedisWanted = {
  readonly role: RedisRole;
  readonly without?: string;
  /** Whether the work is done even if that Redis cannot be reached; its commands to Redis then fail. */
  readonly isOptional?: boolean;
};

/** A warning of the connection as lines for an operator. */
function warningText(fields: object, message: string): string {
  const { problem, hint, ...others } = fields as { problem?: string; hint?: string };
  const rest = Object.keys(others).length === 0 ? '' : ` ${JSON.stringify(others)}`;
  const lines = [`${message}${problem === undefined ? '' : `: ${plainCause({ message: problem })}`}${rest}`];
  return [...lines, ...(hint === undefined ? [] : [`    hint: ${hint}`]), ''].join('\n');
}

/**
 * Does some work on a Redis of a configuration.
 * @throws Error made for the operator
 */
export async function withRedis<T>(
  { redis: config }: GatewayConfig,
  err: (text: string) => void,
  { role, without = ASK_GATEWAY_HINT, isOptional = false }: RedisWanted,
  work: (client: RedisConnection['client'], keys: RedisKeys) => Promise<T>,
): Promise<T> {
  const profile = redisProfile(config, role);
  if (profile === undefined)
    throw new ExitError(
      exitCodes.config,
      `the configuration has no redis.url, cluster or sentinel for its ${role}; ${without}`,
    );
  const log = {
    info: () => undefined,
    warn: (fields: object, message: string) => err(warningText(fields, message)),
  };
  // An operator who makes a key must know that it may be evicted. `portico check` reports the other roles.
  const roles = role === 'keys' ? [role] : [];
  const commandTimeoutMs = Math.max(TIMEOUT_MS, profile.commandTimeoutMs);
  const redis = createRedis({ ...profile, commandTimeoutMs }, log, roles);
  try {
    const isReady = await redis.untilReady(Math.max(TIMEOUT_MS, profile.connectTimeoutMs));
    if (!isReady && !isOptional) throw new ExitError(exitCodes.unavailable, 'Redis cannot be reached');
    return await work(redis.client, createRedisKeys(config.prefix));
  } finally {
    await redis.close();
  }
}
