import { Cluster, type Redis } from 'ioredis';
import type { RedisRole } from '../../config/schema/redis.ts';

/** The memory limit and the eviction policy of a server. */
type Memory = { readonly bounded: boolean; readonly policy: string };

/** A recommendation to change a server's settings. */
export type EvictionNote = { readonly policy: string; readonly message: string };

async function memoryOf(server: Redis): Promise<Memory> {
  // Many hosted Redis servers forbid CONFIG GET; INFO has the same data.
  const info = await server.info('memory');
  const [bound, policy = ''] = [
    /^maxmemory:(\d+)/m.exec(info)?.[1],
    /^maxmemory_policy:(\S+)/m.exec(info)?.[1],
  ];
  return { bounded: bound !== '0', policy };
}

/** If a server has several roles, the one with the worst loss decides. */
function adviceFor(roles: readonly RedisRole[], { bounded, policy }: Memory): string | undefined {
  const is = `its maxmemory-policy is ${policy}`;
  if (roles.includes('keys'))
    return bounded && policy.startsWith('allkeys-')
      ? `Redis may evict API keys: ${is}; set it to noeviction or volatile-lru`
      : undefined;
  if (roles.includes('limits'))
    return bounded && policy !== 'noeviction' && policy !== 'volatile-ttl'
      ? `Redis may evict what callers have used of their limits: ${is}; set it to volatile-ttl or noeviction`
      : undefined;
  if (!roles.includes('cache')) return undefined;
  if (!bounded) return 'Redis has no maxmemory: the cache may take all memory that its machine has; set one';
  return policy === 'noeviction'
    ? `Redis keeps no new answers once it is full: ${is}; set it to allkeys-lru or volatile-lru`
    : undefined;
}

/**
 * The recommended change of `maxmemory-policy` for the Redis of some roles, from the first master with a wrong policy;
 * `undefined` if none is needed. Rejects if Redis does not report it.
 */
export async function evictionNote(
  client: Redis | Cluster,
  roles: readonly RedisRole[],
): Promise<EvictionNote | undefined> {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  for (const memory of await Promise.all(servers.map(memoryOf))) {
    const message = adviceFor(roles, memory);
    if (message !== undefined) return { policy: memory.policy, message };
  }
  return undefined;
}
