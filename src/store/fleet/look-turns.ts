import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createBoundedMap } from '../bounded-map.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';

/**
 * Turns to look at a source. A look is a call that no answer needs: it checks what the source's file claims. One process
 * of the fleet takes each turn, so a source is asked as often behind one gateway as behind ten.
 */
export type LookTurns = {
  /**
   * Whether this process is to look now. Nobody else in the fleet gets the same turn again within `everyMs`. Where Redis
   * does not answer, each process takes turns of its own. It never rejects.
   */
  take(name: string, everyMs: number): Promise<boolean>;
};

/** Names that a process remembers without Redis; the oldest are dropped first. */
const NAMES_MAX = 1_000;

/** Creates the turns. `redis` is absent in the embedded mode: only this process takes turns then. */
export function createLookTurns(
  redis: { readonly client: Pick<Redis, 'set'>; readonly keys: Pick<RedisKeys, 'rowSet'> } | undefined,
): LookTurns {
  const taken = createBoundedMap<object>(NAMES_MAX, () => 1);
  const takeHere = (name: string, everyMs: number) => {
    if (taken.get(name) !== undefined) return false;
    taken.set(name, {}, everyMs);
    return true;
  };
  return {
    async take(name, everyMs) {
      // What this process has just looked at, nobody need be asked about.
      if (taken.get(name) !== undefined) return false;
      if (redis === undefined) return takeHere(name, everyMs);
      // Below the keys of scans, so that the user of this Redis needs no more rights than it has.
      const key = redis.keys.rowSet(hash('sha256', name, 'base64url').slice(0, 22), 'look');
      try {
        const isTaken = await redis.client.set(key, '1', 'PX', everyMs, 'NX');
        return isTaken === null ? false : takeHere(name, everyMs);
      } catch {
        return takeHere(name, everyMs);
      }
    },
  };
}
