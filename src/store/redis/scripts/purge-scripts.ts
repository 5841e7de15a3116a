import { defineWholeScript } from './define-script.ts';

const KEYS = { head: 'hash', tags: 'zset', notes: 'string' } as const;

/** If a full Redis evicted the tags but not the numbers, everything up to now counts as purged. */
const RECOVER_FLOOR = `
if redis.call('exists', tags) == 0 then
  local last = redis.call('hmget', head, 'number', 'floor')
  if last[1] and last[1] ~= last[2] then redis.call('hset', head, 'floor', last[1]) end
end`;

/** Purges a tag. With a note, its name, its text and the bounds of all notes follow. */
export const purgeTag = defineWholeScript(
  KEYS,
  'tag, newEpoch, tagsMax, noteName, noteText, notesMax, notesMs',
)`${RECOVER_FLOOR}
redis.call('hsetnx', head, 'epoch', newEpoch)
local number = redis.call('hincrby', head, 'number', 1)
redis.call('zadd', tags, number, tag)
local over = redis.call('zcard', tags) - tonumber(tagsMax)
if over > 0 then
  local gone = redis.call('zrange', tags, over - 1, over - 1, 'withscores')
  redis.call('hset', head, 'floor', gone[2])
  redis.call('zremrangebyrank', tags, 0, over - 1)
end
if noteName then
  local readable, kept = pcall(cjson.decode, redis.call('get', notes) or '{}')
  local count = 0
  if readable and type(kept) == 'table' then for _ in pairs(kept) do count = count + 1 end end
  if count == 0 or count >= tonumber(notesMax) then kept = {} end
  kept[noteName] = noteText
  redis.call('set', notes, cjson.encode(kept), 'PX', notesMs)
end
return number`;

/**
 * Reads the purges since the latest one that the process knows, of the epoch that it knows. If Redis knows fewer purges than
 * it reported before, as after a failover, a new epoch begins. A full Redis refuses each command that might write, so it
 * only reads if it can. The tags are returned as a nested list, because Lua cannot unpack that many.
 */
export const readPurges = defineWholeScript(KEYS, 'knownEpoch, newEpoch, known')`${RECOVER_FLOOR}
if not redis.call('hget', head, 'epoch') then redis.call('hset', head, 'epoch', newEpoch) end
local epoch, number, floor = unpack(redis.call('hmget', head, 'epoch', 'number', 'floor'))
if epoch == knownEpoch and tonumber(number or '0') < tonumber(known) then
  redis.call('hset', head, 'epoch', newEpoch)
  epoch = newEpoch
end
local since = epoch == knownEpoch and known or '0'
local state = { epoch, number or '0', floor or '0', redis.call('get', notes) or '' }
if tonumber(state[2]) ~= tonumber(since) then
  state[5] = redis.call('zrangebyscore', tags, '(' .. since, '+inf', 'withscores')
end
return state`;
