/**
 * A line of Lua that removes whatever else stands under a key of ours: a command for its type would fail there for ever.
 * `key` is as the script names it, such as `KEYS[1]`.
 */
export function expectType(key: string, type: 'string' | 'hash' | 'zset'): string {
  return `if redis.call('type', ${key}).ok ~= '${type}' then redis.call('del', ${key}) end`;
}
