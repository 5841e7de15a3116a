// Reads how much memory Redis uses, and warns if its eviction policy does not fit what Portico stores there.

import { Cluster, type Redis } from 'ioredis';
import type { RedisRole } from '../../../config/schema/redis.ts';

/** The memory of a Redis server, and its `maxmemory-policy`. */
export type RedisMemory = {
  /** The memory that counts against the limit, in bytes. */
  readonly usedBytes: number;
  /** The limit in bytes; 0: there is no limit. */
  readonly maxBytes: number;
  readonly policy: string;
};

async function memoryOf(server: Redis): Promise<RedisMemory> {
  // INFO, because many hosted Redis servers forbid CONFIG GET, which has the same data.
  const info = await server.info('memory');
  const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return {
    // Buffers of replicas do not count against the limit.
    usedBytes: numberOf('used_memory') - numberOf('mem_not_counted_for_evict'),
    maxBytes: numberOf('maxmemory'),
    policy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? '',
  };
}

/** Reads the memory of every master. Rejects if one of them does not report it. */
export function readMemory(client: Redis | Cluster): Promise<readonly RedisMemory[]> {
  return Promise.all((client instanceof Cluster ? client.nodes('master') : [client]).map(memoryOf));
}

/** A recommendation to change a server's `maxmemory-policy` or `maxmemory`; `policy` is the present one. */
export type EvictionNote = { readonly policy: string; readonly message: string };

/** If a server has several roles, the role with the worst loss decides. */
function adviceFor(roles: readonly RedisRole[], { maxBytes, policy }: RedisMemory): string | undefined {
  const bounded = maxBytes > 0;
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
 * The recommended change of settings for the Redis of some roles, from the first master with wrong settings; `undefined` if
 * no change is needed. Rejects if Redis does not report its memory.
 */
export async function evictionNote(
  client: Redis | Cluster,
  roles: readonly RedisRole[],
): Promise<EvictionNote | undefined> {
  for (const memory of await readMemory(client)) {
    const message = adviceFor(roles, memory);
    if (message !== undefined) return { policy: memory.policy, message };
  }
  return undefined;
}
