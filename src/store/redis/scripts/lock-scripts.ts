// The Redis scripts of distributed locks (src/store/redis/distributed-lock.ts).

import { defineScript, deleteIfOtherType } from './define-script.ts';

/** For how long a lock is kept if its holder has died. A living holder renews it every third of this time. */
export const LOCK_MS = 3_000;

/** Sets `acquired` to 1 if this process has the lock now, else to 0. */
const ACQUIRE = `
local acquired = redis.call('set', lock, token, 'NX', 'PX', ${LOCK_MS}) and 1 or 0`;

/**
 * Acquires a lock and returns its fencing token; 0 if another process holds the lock. The token is Redis' clock in µs, or
 * last + 1 if that clock went back. So it grows even if Redis lost the last token, and a late holder's write is refused.
 */
export const acquireFenced = defineScript({ lock: 'string', lastFence: 'any' }, 'token, fenceMs')`${ACQUIRE}
${deleteIfOtherType('lastFence', 'string')}
if acquired == 0 then return 0 end
local time, last = redis.call('time'), tonumber(redis.call('get', lastFence) or '') or 0
local fence = time[1] * 1000000 + time[2]
if last >= fence and last < ${Number.MAX_SAFE_INTEGER} then fence = math.floor(last) + 1 end
redis.call('set', lastFence, string.format('%.0f', fence), 'PX', fenceMs)
return fence`;

/** Renews a lock that this process still holds. */
export const renewLock = defineScript({ lock: 'any' }, 'token, ms')`
if redis.call('get', lock) ~= token then return 0 end
return redis.call('pexpire', lock, ms)`;

/** Releases a lock that this process still holds. */
export const unlock = defineScript({ lock: 'any' }, 'token')`
if redis.call('get', lock) ~= token then return 0 end
return redis.call('del', lock)`;

/** Takes a lock, or renews it if this process holds it. */
export const takeOrRenewLock = defineScript({ lock: 'string' }, 'token, ms')`
local holder = redis.call('get', lock)
if holder and holder ~= token then return 0 end
redis.call('del', lock)
redis.call('set', lock, token, 'PX', ms)
return 1`;

/** Reads a value and acquires the lock to make it anew. If `always` is empty, it acquires the lock only if there is no value. */
export const readOrLock = defineScript({ value: 'any', lock: 'any' }, 'token, always')`
local found = redis.call('get', value)
if found and always == '' then return { 0, found } end
${deleteIfOtherType('lock', 'string')}
${ACQUIRE}
return { acquired, found }`;

/**
 * Writes a value and deletes its lock. If `token` is not empty, it writes only if the lock has this token: a process that has
 * lost the lock is refused, even if no other process holds it.
 */
export const writeAndUnlock = defineScript({ value: 'any', lock: 'any' }, 'bytes, ms, token')`
if token ~= '' then
  if redis.call('get', lock) ~= token then return 0 end
  redis.call('del', lock)
end
redis.call('set', value, bytes, 'PX', ms)
return 1`;
