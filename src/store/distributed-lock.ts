import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { expectType } from './redis/expect-type.ts';
import { compileScript, type ScriptRedis } from './redis/script.ts';

/** The right to scan or to fill, held by one process of the fleet at a time and renewed until it is released. */
export type Lock = {
  /** Grows with every lease, also where Redis forgets the last: what an older holder would publish is refused. */
  readonly fence: number;
  /** What the lock holds while it is ours. */
  readonly token: string;
  /** Renews it no more; for one who gives the lock back himself, as he publishes. */
  stopRenewal(): void;
  /** Gives the right back, where it is still ours. It never rejects. */
  release(): Promise<void>;
};

/** Redis keys of a lease. */
export type LockKeys = { readonly lock: string; readonly fence: string };

/** How long a holder that died is waited for, milliseconds. Renewed three times as often. */
const LEASE_MS = 3_000;

/**
 * Lua that sets `fence`: the number of a new lease, or 0 where somebody else holds it. The arguments as named. Numbers
 * are the microseconds of Redis' clock, and one more than the last where that clock was set back: so they grow on where
 * Redis has lost the last one, or it stands there damaged, and nobody's work of before passes for that of a new holder.
 */
export const acquireLockLua = (at: {
  lock: string;
  fence: string;
  token: string;
  fenceMs: string;
}): string => `
${expectType(at.lock, 'string')}
${expectType(at.fence, 'string')}
local fence = 0
if redis.call('set', ${at.lock}, ${at.token}, 'NX', 'PX', ${LEASE_MS}) then
  local time, last = redis.call('time'), tonumber(redis.call('get', ${at.fence}) or '') or 0
  fence = time[1] * 1000000 + time[2]
  if last >= fence and last < ${Number.MAX_SAFE_INTEGER} then fence = math.floor(last) + 1 end
  redis.call('set', ${at.fence}, string.format('%.0f', fence), 'PX', ${at.fenceMs})
end`;

const acquire = compileScript(
  `${acquireLockLua({ lock: 'KEYS[1]', fence: 'KEYS[2]', token: 'ARGV[1]', fenceMs: 'ARGV[2]' })}
return fence`,
);
const renew = compileScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])`);
const giveBack = compileScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`);

const holder = randomBytes(12).toString('base64url');
let tokens = 0;

/** A token that no other lease of the fleet has. */
export function newToken(): string {
  tokens += 1;
  return `${holder}.${tokens}`;
}

/** A lease that was taken just now, kept until it is released. */
export function holdLock(client: ScriptRedis, lock: string, token: string, fence: number): Lock {
  const renewal = setInterval(() => {
    // Where the lease is lost, or Redis is, the work goes on: what it may no longer do is refused by its fence.
    renew(client, [lock], [token, LEASE_MS]).catch(() => undefined);
  }, LEASE_MS / 3);
  renewal.unref();
  const end = () => clearInterval(renewal);
  return {
    fence,
    token,
    stopRenewal: end,
    async release() {
      end();
      await giveBack(client, [lock], [token]).catch(() => undefined);
    },
  };
}

/**
 * Takes the lease; `undefined` where another process holds it. The numbers of leases are kept for `fenceMs`, which is
 * longer than anything lives that they guard. @throws where Redis does not answer
 */
export async function acquireLock(
  client: ScriptRedis,
  { lock, fence }: LockKeys,
  fenceMs: number,
): Promise<Lock | undefined> {
  const token = newToken();
  const number = await acquire(client, [lock, fence], [token, fenceMs]);
  return typeof number === 'number' && number > 0 ? holdLock(client, lock, token, number) : undefined;
}

/** How somebody waits for what another process does. */
export type Patience = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The first pause and the longest; each is twice the one before. */
  readonly pausesMs: readonly [number, number];
  /** Waiting ends here, though the other is alive. */
  readonly patienceMs: number;
};

/**
 * Tries until it brings something, with pauses that are not in step with the others who wait; `undefined` where that
 * takes too long. Rejects with the signal's reason.
 */
export async function acquireOrWait<T>(
  tryOnce: () => Promise<T | undefined>,
  { clock, pausesMs: [first, longest], patienceMs }: Patience,
  signal: AbortSignal,
): Promise<T | undefined> {
  const patienceEnds = clock.monotonic() + patienceMs;
  for (let pauseMs = first; ; pauseMs = Math.min(pauseMs * 2, longest)) {
    const turn = await tryOnce();
    if (turn !== undefined || clock.monotonic() >= patienceEnds) return turn;
    await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
  }
}
