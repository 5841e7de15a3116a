import { randomBytes } from 'node:crypto';
import type { ScriptRedis } from './scripts/define-script.ts';
import { acquireFenced, LOCK_MS, renewLock, unlock } from './scripts/lock-scripts.ts';

/** A distributed lock, held by one process of the fleet at a time and renewed until it is released. */
export type Lock = {
  /** The value of the lock's key while this process holds it. */
  readonly token: string;
  /** Stops the renewal. Use it if another script has deleted the lock already. */
  stopRenewal(): void;
  /** Releases the lock if this process still holds it. It never rejects. */
  release(): Promise<void>;
};

/** A lock for a result that is written in several steps; the last step checks the fencing token. */
export type FencedLock = Lock & {
  /** The fencing token. It grows with every lock, so that a late write of an earlier holder can be refused. */
  readonly fence: number;
};

/** The Redis keys of a fenced lock. */
type FencedKeys = { readonly lock: string; readonly fence: string };

const processId = randomBytes(12).toString('base64url');
let tokens = 0;

/** Makes a token that no other lock of the fleet has, or will ever have. */
export function newToken(): string {
  tokens += 1;
  return `${processId}.${tokens}`;
}

/** Renews a lock that a script has just acquired, until the lock is released. `key` is its Redis key. */
export function holdLock(client: ScriptRedis, key: string, token: string): Lock {
  const renewal = setInterval(() => {
    // If the lock or Redis is lost, the work goes on, but its write will be refused.
    renewLock(client, [key], [token, LOCK_MS]).catch(() => undefined);
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
 * Acquires a lock; `undefined` if another process holds it. Redis keeps the fencing token for `fenceMs`, which must be
 * longer than the holder may take to write. Rejects if Redis does not answer.
 */
export async function acquireLock(
  client: ScriptRedis,
  { lock, fence }: FencedKeys,
  fenceMs: number,
): Promise<FencedLock | undefined> {
  const token = newToken();
  const acquired = await acquireFenced(client, [lock, fence], [token, fenceMs]);
  return typeof acquired === 'number' && acquired > 0
    ? { ...holdLock(client, lock, token), fence: acquired }
    : undefined;
}
