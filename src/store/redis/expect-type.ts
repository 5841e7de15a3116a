/**
 * Lua that deletes a key of ours if it has another type: commands would fail there for ever. It writes nothing if the
 * type is right, because a full Redis no longer refuses a script that has written once. `key` is the script's name for
 * it, such as `KEYS[1]`.
 */
export function expectType(key: string, type: 'string' | 'hash' | 'set' | 'zset' | 'list'): string {
  return `do
  local found = redis.call('type', ${key}).ok
  if found ~= '${type}' and found ~= 'none' then redis.call('del', ${key}) end
end`;
}
