// The Redis script that adds the comparison counts of one process to those of the fleet (src/migration/counts/redis-counts.ts).

import { defineScript } from './define-script.ts';

/** The parts of the comparison counts of an operation. Each part is a key of Redis; the value is its type. */
export const comparisonCountParts = {
  counts: 'hash',
  step: 'hash',
  keys: 'zset',
  mismatched: 'zset',
  critical: 'zset',
  groups: 'hash',
  samples: 'hash',
  records: 'set',
  failing: 'list',
  transient: 'zset',
} as const;

/**
 * Adds a delta (JSON) to the counts. `operations` has the names of all operations. `last` has the token of the last delta of
 * this process: if no answer came and the process sends a delta again, the token prevents a second count. `other` is the group
 * for differences when there are too many groups. The script deletes a key first: a full Redis refuses a script at its first
 * command that needs memory, unless the script has already written. So failures are counted even if Redis is full.
 */
export const addComparisonCounts = defineScript(
  { ...comparisonCountParts, operations: 'any', last: 'any' },
  'text, token, operation, other, bounds',
)`
if redis.call('get', last) == token then return 0 end
local delta, most = cjson.decode(text), cjson.decode(bounds)
redis.call('del', last)
redis.call('set', last, token, 'PX', most.ms)
for _, one in ipairs(delta.counts) do redis.call('hincrby', counts, one[1], one[2]) end
for _, one in ipairs(delta.step) do redis.call('hincrby', step, one[1], one[2]) end
if delta.lastFallbackAt > tonumber(redis.call('hget', counts, 'lastFallbackAt') or '0') then
  redis.call('hset', counts, 'lastFallbackAt', delta.lastFallbackAt)
end
local function put(key, member, at, max)
  if redis.call('zcard', key) < max or redis.call('zscore', key, member) then redis.call('zadd', key, at, member) end
end
for _, one in ipairs(delta.keys) do
  put(keys, one[1], one[2], most.keys)
  if one[3] then put(mismatched, one[1], one[2], most.keys) else redis.call('zrem', mismatched, one[1]) end
end
for _, one in ipairs(delta.critical) do put(critical, one[1], one[2], most.critical) end
for _, one in ipairs(delta.transient) do redis.call('zadd', transient, one[2], one[1]) end
redis.call('zremrangebyrank', transient, 0, -most.transient - 1)
for _, group in ipairs(delta.groups) do
  local name = group[1]
  local isKnown = redis.call('hexists', groups, 'n' .. name) == 1
  if not isKnown and redis.call('hlen', groups) >= 3 * most.groups then name = other end
  local more = group[6] and 0 or group[2]
  for _, key in ipairs(group[6] or {}) do
    if redis.call('scard', records) < most.records then more = more + redis.call('sadd', records, name .. key) end
  end
  redis.call('hincrby', groups, 'n' .. name, more)
  redis.call('hsetnx', groups, 'f' .. name, group[3])
  redis.call('hset', groups, 'l' .. name, group[4])
  for _, sample in ipairs(group[5]) do
    for place = 1, most.samples do
      local known = redis.call('hget', samples, place .. name)
      if not known then redis.call('hset', samples, place .. name, sample) end
      if not known or cjson.decode(known).key == cjson.decode(sample).key then break end
    end
  end
end
for _, one in ipairs(delta.failing) do redis.call('lpush', failing, one) end
redis.call('ltrim', failing, 0, most.failing - 1)
redis.call('sadd', operations, operation)
for at = 1, #KEYS - 1 do redis.call('pexpire', KEYS[at], most.ms) end
return 1`;
