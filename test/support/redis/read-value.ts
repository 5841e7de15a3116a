import type { Redis } from 'ioredis';

/** Whatever a key of Redis holds, as text. Throws on a type that it does not know, so that no value goes unread. */
export async function readRedisValue(client: Redis, key: string): Promise<string> {
  const type = await client.type(key);
  switch (type) {
    case 'none':
      return '';
    case 'string':
      return (await client.getBuffer(key))?.toString('utf8') ?? '';
    case 'hash':
      return JSON.stringify(await client.hgetall(key));
    case 'set':
      return JSON.stringify(await client.smembers(key));
    case 'zset':
      return JSON.stringify(await client.zrange(key, '0', '-1', 'WITHSCORES'));
    case 'list':
      return JSON.stringify(await client.lrange(key, 0, -1));
    default:
      throw new Error(`${key} is of the type ${type}: teach this function to read it`);
  }
}
