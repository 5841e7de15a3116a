import type { Redis } from 'ioredis';

/** Whatever a key of Redis holds, as text. */
export async function readRedisValue(client: Redis, key: string): Promise<string> {
  switch (await client.type(key)) {
    case 'hash':
      return JSON.stringify(await client.hgetall(key));
    case 'set':
      return JSON.stringify(await client.smembers(key));
    case 'none':
      return '';
    default:
      return (await client.getBuffer(key))?.toString('utf8') ?? '';
  }
}
