// The sequence of purges that all processes share (src/store/cache/purges.ts). A purge deletes nothing: it gives a tag the next
// number, and an answer that was made before that number is no longer served.

import { defineScript, defineWholeScript } from './define-script.ts';

/**
 * `head` has the `epoch` (the random name of this sequence), the `number` of the latest purge, and the `floor`: everything older
 * than purge number `floor` counts as purged, because older tags are forgotten. `tags` has the number of each tag's latest
 * purge. `notes` is a JSON object of texts that say why something was purged.
 */
const KEYS = { head: 'hash', tags: 'zset', notes: 'string' } as const;

/** If a full Redis evicted the tags but not the head, nobody knows what was purged, so the floor rises to the latest number. */
const RECOVER_FLOOR = `
if redis.call('exists', tags) == 0 then
  local last = redis.call('hmget', head, 'number', 'floor')
  if last[1] and last[1] ~= last[2] then redis.call('hset', head, 'floor', last[1]) end
end`;

/**
 * Purges a tag. If there are too many tags, the oldest are forgotten, and the floor rises to the number of the last of them. The
 * arguments from `noteName` on are absent if there is no note.
 */
export const purgeTag = defineWholeScript(
  KEYS,
  'tag, newEpoch, tagsMax, noteName, noteText, notesMax, notesMs',
)`${RECOVER_FLOOR}
redis.call('hsetnx', head, 'epoch', newEpoch)
local number = redis.call('hincrby', head, 'number', 1)
redis.call('zadd', tags, number, tag)
local excess = redis.call('zcard', tags) - tonumber(tagsMax)
if excess > 0 then
  local forgotten = redis.call('zrange', tags, excess - 1, excess - 1, 'withscores')
  redis.call('hset', head, 'floor', forgotten[2])
  redis.call('zremrangebyrank', tags, 0, excess - 1)
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
 * Reads the purges since the latest one that the process knows (`knownNumber` in `knownEpoch`; all purges if the epoch has
 * changed). If Redis knows fewer purges than the process, as after a failover, it begins a new epoch. It writes only if it must,
 * because a full Redis refuses every script that writes. The tags are a nested list, because Lua cannot unpack that many. It is
 * sent by its digest, because each process reads 2.5 times a second.
 */
export const readPurges = defineScript(KEYS, 'knownEpoch, newEpoch, knownNumber')`${RECOVER_FLOOR}
if not redis.call('hget', head, 'epoch') then redis.call('hset', head, 'epoch', newEpoch) end
local epoch, number, floor = unpack(redis.call('hmget', head, 'epoch', 'number', 'floor'))
if epoch == knownEpoch and tonumber(number or '0') < tonumber(knownNumber) then
  redis.call('hset', head, 'epoch', newEpoch)
  epoch = newEpoch
end
local since = epoch == knownEpoch and knownNumber or '0'
local state = { epoch, number or '0', floor or '0', redis.call('get', notes) or '' }
if tonumber(state[2]) ~= tonumber(since) then
  state[5] = redis.call('zrangebyscore', tags, '(' .. since, '+inf', 'withscores')
end
return state`;
