import { defineScript, deleteIfOtherType } from './define-script.ts';

/** A lock whose holder died ends after this time. It is renewed three times as often. */
export const LOCK_MS = 3_000;

/** Sets `acquired` to 1 if this process has the lock now, else to 0. */
const ACQUIRE = `
local acquired = redis.call('set', lock, token, 'NX', 'PX', ${LOCK_MS}) and 1 or 0`;

/**
 * The fencing token is Redis' clock in µs, or last + 1 if that clock went back. So it grows even if Redis lost or damaged
 * the last one, and a stale holder's write is refused. It is 0 if another process holds the lock.
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

/** Reads a value and acquires the lock to make it; with an empty `always`, only if there is no value. */
export const readOrLock = defineScript({ value: 'any', lock: 'any' }, 'token, always')`
local found = redis.call('get', value)
if found and always == '' then return { 0, found } end
${deleteIfOtherType('lock', 'string')}
${ACQUIRE}
return { acquired, found }`;

/**
 * Writes a value and deletes its lock. With a token, only its holder writes: a process that has lost it is refused, even
 * if no other process has it. So the fill leaves no key beside the value.
 */
export const writeAndUnlock = defineScript({ value: 'any', lock: 'any' }, 'bytes, ms, token')`
if token ~= '' then
  if redis.call('get', lock) ~= token then return 0 end
  redis.call('del', lock)
end
redis.call('set', value, bytes, 'PX', ms)
return 1`;
