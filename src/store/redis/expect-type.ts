/**
 * Lua that removes whatever else stands under a key of ours: a command for its type would fail there for ever. It writes
 * nothing where nothing is wrong: a script that has written once may go on in a Redis that is full.
 * `key` is as the script names it, such as `KEYS[1]`.
 */
export function expectType(key: string, type: 'string' | 'hash' | 'zset'): string {
  return `do
  local found = redis.call('type', ${key}).ok
  if found ~= '${type}' and found ~= 'none' then redis.call('del', ${key}) end
end`;
}
