import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

/** The right to scan or to fill, held by one process of the fleet at a time and renewed until it is released. */
export type Lease = {
  /** Grows with every lease: what an older holder would publish is refused. */
  readonly fence: number;
  /** Gives the right back, where it is still ours. It never rejects. */
  release(): Promise<void>;
};

/** Redis keys of a lease. */
export type LeaseKeys = { readonly lock: string; readonly fence: string };

/** How long a holder that died is waited for. Renewed three times as often. */
const LEASE_MS = 3_000;

const ACQUIRE = `
if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
local fence = redis.call('incr', KEYS[2])
redis.call('pexpire', KEYS[2], ARGV[3])
return fence`;
const RENEW = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])`;
const RELEASE = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`;

/**
 * Takes the lease; `undefined` where another process holds it. The numbers of leases are kept for `fenceMs`, which is
 * longer than anything lives that they guard. @throws where Redis does not answer
 */
export async function acquireLease(
  client: Pick<Redis, 'eval'>,
  { lock, fence }: LeaseKeys,
  fenceMs: number,
): Promise<Lease | undefined> {
  const token = randomBytes(16).toString('base64url');
  const number = await client.eval(ACQUIRE, 2, lock, fence, token, LEASE_MS, fenceMs);
  if (typeof number !== 'number' || number === 0) return undefined;
  const renewal = setInterval(() => {
    // Where the lease is lost, or Redis is, the work goes on: what it may no longer do is refused by its fence.
    client.eval(RENEW, 1, lock, token, LEASE_MS).catch(() => undefined);
  }, LEASE_MS / 3);
  renewal.unref();
  return {
    fence: number,
    async release() {
      clearInterval(renewal);
      await client.eval(RELEASE, 1, lock, token).catch(() => undefined);
    },
  };
}
