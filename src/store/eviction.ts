import { Cluster, type Redis } from 'ioredis';

/** The policy of one server under which it evicts keys that have no end; `undefined` where it keeps them. */
async function policyOf(server: Redis): Promise<string | undefined> {
  // CONFIG GET is forbidden on many a hosted Redis; INFO tells the same.
  const told = await server.info('memory');
  const [bound, policy = ''] = [
    /^maxmemory:(\d+)/m.exec(told)?.[1],
    /^maxmemory_policy:(\S+)/m.exec(told)?.[1],
  ];
  return bound !== '0' && policy.startsWith('allkeys-') ? policy : undefined;
}

/**
 * The `maxmemory-policy` under which Redis may evict API keys, which have no end, of whichever master has one;
 * `undefined` where they are safe. Rejects where Redis does not tell.
 */
export async function evictionOfKeys(client: Redis | Cluster): Promise<string | undefined> {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  const policies = await Promise.all(servers.map(policyOf));
  return policies.find((policy) => policy !== undefined);
}

/** What an operator is told of such a policy. */
export function evictionAdvice(policy: string): string {
  return `Redis may evict API keys: its maxmemory-policy is ${policy}; set it to noeviction or volatile-lru`;
}
