import { randomBytes } from 'node:crypto';
import { expectType } from './expect-type.ts';
import { compileScript, type ScriptRedis } from './script.ts';

/** A distributed lock, held by one process of the fleet at a time and renewed until it is released. */
export type Lock = {
  /** The value of the lock's key while this process holds it. */
  readonly token: string;
  /** Stops the renewal; for a holder whose own script deletes the lock. */
  stopRenewal(): void;
  /** Releases the lock if this process still holds it. It never rejects. */
  release(): Promise<void>;
};

/** A lock for a result that is written in several steps, of which the last one is checked. */
export type FencedLock = Lock & {
  /** The fencing token: it grows with every lock, so a write of an earlier holder is refused. */
  readonly fence: number;
};

/** The Redis keys of a fenced lock. */
type FencedKeys = { readonly lock: string; readonly fence: string };

/** A lock whose holder died ends after this time. It is renewed three times as often. */
const LOCK_MS = 3_000;

/** Lua that sets `acquired` to 1 if this process has the lock now, else to 0. The arguments are names in the script. */
export const acquireLockLua = (at: { lock: string; token: string }): string => `
${expectType(at.lock, 'string')}
local acquired = redis.call('set', ${at.lock}, ${at.token}, 'NX', 'PX', ${LOCK_MS}) and 1 or 0`;

/**
 * The fencing token is Redis' clock in µs, or last + 1 if that clock went back. So it grows even if Redis lost or damaged
 * the last one, and a stale holder's write is refused. It is 0 where another process holds the lock.
 */
const acquire = compileScript(`
${acquireLockLua({ lock: 'KEYS[1]', token: 'ARGV[1]' })}
${expectType('KEYS[2]', 'string')}
if acquired == 0 then return 0 end
local time, last = redis.call('time'), tonumber(redis.call('get', KEYS[2]) or '') or 0
local fence = time[1] * 1000000 + time[2]
if last >= fence and last < ${Number.MAX_SAFE_INTEGER} then fence = math.floor(last) + 1 end
redis.call('set', KEYS[2], string.format('%.0f', fence), 'PX', ARGV[2])
return fence`);
const renew = compileScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])`);
const unlock = compileScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`);

const processId = randomBytes(12).toString('base64url');
let tokens = 0;

/** A token that no other lock of the fleet has, or will ever have. */
export function newToken(): string {
  tokens += 1;
  return `${processId}.${tokens}`;
}

/** Holds a lock that a script has just acquired, until it is released. */
export function holdLock(client: ScriptRedis, key: string, token: string): Lock {
  const renewal = setInterval(() => {
    // If the lock or Redis is lost, the work goes on: its write will be refused.
    renew(client, [key], [token, LOCK_MS]).catch(() => undefined);
  }, LOCK_MS / 3);
  renewal.unref();
  const stopRenewal = () => clearInterval(renewal);
  return {
    token,
    stopRenewal,
    async release() {
      stopRenewal();
      await unlock(client, [key], [token]).catch(() => undefined);
    },
  };
}

/**
 * Acquires a lock; `undefined` if another process holds it. The fencing token is kept for `fenceMs`, which must be longer
 * than its holder may take to write. Rejects if Redis does not answer.
 */
export async function acquireLock(
  client: ScriptRedis,
  { lock, fence }: FencedKeys,
  fenceMs: number,
): Promise<FencedLock | undefined> {
  const token = newToken();
  const acquired = await acquire(client, [lock, fence], [token, fenceMs]);
  return typeof acquired === 'number' && acquired > 0
    ? { ...holdLock(client, lock, token), fence: acquired }
    : undefined;
}
