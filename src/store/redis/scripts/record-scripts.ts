import { defineScript, defineWholeScript } from './define-script.ts';

/**
 * Replaces a text that is still as this process has read it. Deleting needs no memory, and Redis lets a script finish that
 * has written: so a key can be revoked even if Redis is full. Nobody sees the moment between the two commands.
 */
export const replaceIfUnchanged = defineWholeScript({ record: 'any' }, 'before, after')`
if redis.call('get', record) ~= before then return 0 end
redis.call('del', record)
redis.call('set', record, after)
return 1`;

/** Replaces a text, whatever stands there, also if Redis is full. */
export const replaceText = defineScript({ record: 'any' }, 'text, ms')`
redis.call('del', record)
redis.call('set', record, text, 'PX', ms)
return 1`;

/**
 * Appends a line if the last one is what the caller believes; else it returns the last one. The first write needs no memory,
 * and Redis lets a script finish that has written: so the audit, which is bounded, works even if Redis is full.
 */
export const appendLine = defineWholeScript({ lines: 'any' }, 'believed, line, linesMax')`
local last = redis.call('lindex', lines, -1) or ''
if last ~= believed then return last end
redis.call('ltrim', lines, 1 - tonumber(linesMax), -1)
redis.call('rpush', lines, line)
return 1`;

/** Appends the further arguments as lines, if there are as many lines as the caller believes. */
export const restoreLines = defineWholeScript({ lines: 'any' }, 'count')`
if redis.call('llen', lines) ~= tonumber(count) then return 0 end
for i = 2, #ARGV do redis.call('rpush', lines, ARGV[i]) end
return 1`;

/** Publishes the head of a scan cache, unless the head there has a higher fencing token: then a later scan has written it. */
export const publishHead = defineWholeScript({ now: 'hash' }, 'fence, head, ms')`
local known = tonumber(redis.call('hget', now, 'fence') or '') or 0
if known > tonumber(fence) then return 0 end
redis.call('del', now)
redis.call('hset', now, 'fence', fence, 'head', head)
redis.call('pexpire', now, ms)
return 1`;

/**
 * Writes the state of a migration and publishes its `rev`. Returns 1; or the text in Redis if that has a `rev` above the
 * highest that may be there. A lower one is replaced: Redis has then lost changes that this process still has.
 */
export const compareAndSetState = defineScript({ state: 'hash' }, 'revMax, rev, text, channel')`
local found = redis.call('hmget', state, 'rev', 'state')
if tonumber(found[1] or '0') > tonumber(revMax) then return found[2] or '' end
redis.call('hset', state, 'rev', rev, 'state', text)
redis.call('publish', channel, rev)
return 1`;

/** Keeps by which revs a process serves, and when it last said so, and forgets processes that have long said nothing. */
export const acknowledgeRevs = defineScript({ seen: 'zset', revs: 'hash' }, 'instance, text, ms')`
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zadd', seen, now, instance)
redis.call('hset', revs, instance, text)
for _, gone in ipairs(redis.call('zrangebyscore', seen, '-inf', now - ms)) do
  redis.call('zrem', seen, gone)
  redis.call('hdel', revs, gone)
end
return 1`;
