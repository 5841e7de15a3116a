// Says for `/readyz` and for the log which Redis servers of the configuration are connected.

import { redisRoles } from '../config/schema/redis.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';
import type { CheckResult } from './app.ts';

/**
 * Makes the function that says which Redis servers are ready. Only the role `keys` is needed, and only by a process that
 * cannot serve known keys and tokens without it, or has never reached it. Without the other roles every process still
 * answers correctly; if they were needed, all replicas would go out of service together.
 */
export function createRedisChecks(of: RedisByRole, canServe: () => boolean): () => readonly CheckResult[] {
  let wasReached = false;
  return () => {
    const used = redisRoles.flatMap((role) => {
      const connection = of[role];
      return connection === undefined ? [] : [{ role, connection }];
    });
    const shared = used.length === redisRoles.length && new Set(Object.values(of)).size === 1;
    return (shared ? used.slice(0, 1) : used).map(({ role, connection }) => {
      const health = connection.health();
      const isOfKeys = role === 'keys';
      if (isOfKeys && health.state !== 'lost') wasReached = true;
      return {
        name: shared ? 'redis' : `redis.${role}`,
        ready: health.state !== 'lost',
        needed: isOfKeys && !(wasReached && canServe()),
        isStrict: isOfKeys,
        ...(health.state === 'ready' ? {} : { detail: `${health.state}: ${health.detail}` }),
      };
    });
  };
}

/** The state of Redis for the log: none is configured, all are connected, or which are not. */
export function redisState(checks: readonly Pick<CheckResult, 'name' | 'ready'>[]): string {
  const away = checks.flatMap(({ name, ready }) => (ready ? [] : [name]));
  if (away.length > 0) return `not connected: ${away.join(', ')}`;
  return checks.length === 0 ? 'none' : 'connected';
}
