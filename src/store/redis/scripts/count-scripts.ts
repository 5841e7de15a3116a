// The Redis scripts that count: points of rate limits, figures of metrics, traces of requests, and calls by caller.

import { defineScript, defineWholeScript } from './define-script.ts';

/**
 * Reserves points of a rate limit, by Redis' own clock. The hash has a field for each part of a window in which points were
 * used, and `t` for the latest time seen. If the clock went back by no more than the longest window, `t` is used instead of
 * the clock, so that no count is lost. `back` is the number of returned points. Four more arguments follow for each window:
 * its points, the length of a part in milliseconds, the number of parts, and the part in which the returned points were
 * counted. Returns granted, validMs, and for each window the free points, resetMs, waitMs and the current part.
 */
export const reservePoints = defineScript({ key: 'hash' }, 'needed, batch, share, back')`
needed, batch, share, back = tonumber(needed), tonumber(batch), tonumber(share), tonumber(back)
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored, names = {}, redis.call('hgetall', key)
for i = 1, #names, 2 do stored[names[i]] = tonumber(names[i + 1]) or 0 end
local longest = 0
for i = 5, #ARGV, 4 do longest = math.max(longest, ARGV[i + 1] * (ARGV[i + 2] + 1)) end
local latest = stored.t or 0
stored.t = nil
if latest > now and latest - now <= longest then now = latest end
local free, windows = math.huge, {}
for i = 5, #ARGV, 4 do
  local w = { size = tonumber(ARGV[i + 1]), parts = tonumber(ARGV[i + 2]), prefix = (i - 1) / 4 .. ':' }
  if back > 0 then
    local name = w.prefix .. ARGV[i + 3]
    if stored[name] then
      stored[name] = math.max(0, stored[name] - back)
      redis.call('hset', key, name, string.format('%.0f', stored[name]))
    end
  end
  w.now = math.floor(now / w.size)
  local used = 0
  for name, count in pairs(stored) do
    local prefix, part = string.match(name, '^(%d+:)(%d+)$')
    if prefix == w.prefix then
      part = tonumber(part)
      if part < w.now - w.parts or part > w.now then
        redis.call('hdel', key, name)
      elseif count > 0 then
        used = used + count
        w.first = math.min(w.first or part, part)
        w.last = math.max(w.last or part, part)
      end
    end
  end
  w.free = math.max(0, tonumber(ARGV[i]) - used)
  free = math.min(free, w.free)
  windows[#windows + 1] = w
end
local granted = math.min(needed, free)
if free > needed then granted = granted + math.min(batch, math.floor((free - needed) / share)) end
local valid, answer = math.huge, { granted, 0 }
for i, w in ipairs(windows) do
  if granted > 0 then
    redis.call('hincrby', key, w.prefix .. string.format('%.0f', w.now), granted)
    w.first = w.first or w.now
    w.last = w.now
  end
  valid = math.min(valid, (w.now + 1) * w.size - now)
  local left = w.free - granted
  answer[#answer + 1] = left
  answer[#answer + 1] = w.last and math.ceil((w.last + w.parts + 1) * w.size - now) or 0
  answer[#answer + 1] = left < 1 and w.first and math.ceil((w.first + w.parts + 1) * w.size - now) or 0
  answer[#answer + 1] = w.now
end
answer[2] = math.floor(valid)
if granted > 0 then
  redis.call('hset', key, 't', string.format('%.0f', now))
  redis.call('pexpire', key, math.ceil(longest))
end
return answer`;

/** Writes the figures of a gateway for a minute, unless there are too many gateways. `ms`: how long the key is kept. */
export const writeFigures = defineScript({ minute: 'hash' }, 'gateway, figures, ms, gatewaysMax')`
if redis.call('hlen', minute) < tonumber(gatewaysMax) then
  redis.call('hset', minute, gateway, figures)
  redis.call('pexpire', minute, ms)
end
return 1`;

/** Adds traces to a list that keeps the latest `tracesMax`. The traces are the arguments after `ms`, the oldest first. */
export const addTraces = defineWholeScript({ list: 'list' }, 'tracesMax, ms')`
for i = 3, #ARGV do redis.call('lpush', list, ARGV[i]) end
redis.call('ltrim', list, 0, tracesMax - 1)
redis.call('pexpire', list, ms)`;

/**
 * Adds numbers of calls by caller. `calls` is a JSON list of triples: the caller's field, the field of the caller's bucket (used
 * if there are too many callers), and the number. If no answer came and the process sends the calls again, the token in `last`
 * prevents a second count.
 */
export const addCalls = defineScript({ slice: 'hash', last: 'string' }, 'calls, token, ms, callersMax')`
if redis.call('get', last) == token then return 0 end
redis.call('set', last, token, 'PX', ms)
for _, one in ipairs(cjson.decode(calls)) do
  local field = one[1]
  if redis.call('hlen', slice) >= tonumber(callersMax) and redis.call('hexists', slice, field) == 0 then field = one[2] end
  redis.call('hincrby', slice, field, one[3])
end
redis.call('pexpire', slice, ms)
return 1`;
