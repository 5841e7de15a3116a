// The Redis scripts that write a record only if no other process has changed it: API keys, audit lines, scans, migrations.

import { defineScript, defineWholeScript } from './define-script.ts';

/**
 * Replaces a text if it is still `before`. The script deletes first, because that needs no memory, and Redis lets a script
 * finish that has written. So a key can be revoked even if Redis is full. No reader sees the state between the two commands.
 */
export const replaceIfUnchanged = defineWholeScript({ record: 'any' }, 'before, after')`
if redis.call('get', record) ~= before then return 0 end
redis.call('del', record)
redis.call('set', record, after)
return 1`;

/** Replaces whatever stands under a key by a text for `ms` milliseconds, also if Redis is full. */
export const replaceText = defineScript({ record: 'any' }, 'text, ms')`
redis.call('del', record)
redis.call('set', record, text, 'PX', ms)
return 1`;

/**
 * Appends a line if the last line is `believed`; else it returns the last line. Its first write needs no memory, and Redis
 * lets a script finish that has written. So the audit, which is bounded, works even if Redis is full.
 */
export const appendLine = defineWholeScript({ lines: 'any' }, 'believed, line, linesMax')`
local last = redis.call('lindex', lines, -1) or ''
if last ~= believed then return last end
redis.call('ltrim', lines, 1 - tonumber(linesMax), -1)
redis.call('rpush', lines, line)
return 1`;

/** Appends the arguments after `count` as lines, if the list has exactly `count` lines. */
export const restoreLines = defineWholeScript({ lines: 'any' }, 'count')`
if redis.call('llen', lines) ~= tonumber(count) then return 0 end
for i = 2, #ARGV do redis.call('rpush', lines, ARGV[i]) end
return 1`;

/** Publishes the head of a scan cache, unless the present head has a higher fencing token and so is of a later scan. */
export const publishHead = defineWholeScript({ now: 'hash' }, 'fence, head, ms')`
local known = tonumber(redis.call('hget', now, 'fence') or '') or 0
if known > tonumber(fence) then return 0 end
redis.call('del', now)
redis.call('hset', now, 'fence', fence, 'head', head)
redis.call('pexpire', now, ms)
return 1`;

/**
 * Writes the state of a migration and publishes its `rev`. If Redis has a state with a `rev` above `revMax`, it writes nothing
 * and returns the text of that state; else it returns 1. A state with a lower `rev` is replaced, because Redis has then lost
 * changes that this process still has.
 */
export const compareAndSetState = defineScript({ state: 'hash' }, 'revMax, rev, text, channel')`
local found = redis.call('hmget', state, 'rev', 'state')
if tonumber(found[1] or '0') > tonumber(revMax) then return found[2] or '' end
redis.call('hset', state, 'rev', rev, 'state', text)
redis.call('publish', channel, rev)
return 1`;

/** Notes with which revs a process serves, and when it noted that; forgets processes that have noted nothing for `ms`. */
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
