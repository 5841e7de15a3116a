import { redisRoles } from '../config/schema/redis.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';
import type { CheckResult } from './app.ts';

/**
 * What there is to say of the Redis servers.
 * A caller whose key cannot be judged is best served elsewhere. Without counts or answers of others every process still
 * answers right, and all would be out of service together.
 */
export function redisChecks(of: RedisByRole): readonly CheckResult[] {
  const used = redisRoles.flatMap((role) => {
    const connection = of[role];
    return connection === undefined ? [] : [{ role, connection }];
  });
  const shared = used.length === redisRoles.length && new Set(Object.values(of)).size === 1;
  return (shared ? used.slice(0, 1) : used).map(({ role, connection }) => ({
    name: shared ? 'redis' : `redis.${role}`,
    ready: connection.isReady(),
    needed: role === 'keys',
  }));
}
