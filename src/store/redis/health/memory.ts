import { Cluster, type Redis } from 'ioredis';

/** The memory of a server. */
export type RedisMemory = {
  /** What counts against the limit, in bytes. */
  readonly usedBytes: number;
  /** 0: there is no limit. */
  readonly maxBytes: number;
  readonly policy: string;
};

async function memoryOf(server: Redis): Promise<RedisMemory> {
  // Many hosted Redis servers forbid CONFIG GET; INFO has the same data.
  const info = await server.info('memory');
  const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return {
    // Buffers of replicas do not count against the limit.
    usedBytes: numberOf('used_memory') - numberOf('mem_not_counted_for_evict'),
    maxBytes: numberOf('maxmemory'),
    policy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? '',
  };
}

/** The memory of every server that takes writes. Rejects if one does not tell. */
export function readMemory(client: Redis | Cluster): Promise<readonly RedisMemory[]> {
  return Promise.all((client instanceof Cluster ? client.nodes('master') : [client]).map(memoryOf));
}
