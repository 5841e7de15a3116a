import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createBoundedMap } from '../memory/bounded-map.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';

/**
 * Turns at work that the fleet needs only once, mostly a look at a source: a call that no answer needs, which checks what the
 * source's file claims. One process takes each turn, so ten gateways ask a source no more often than one.
 */
export type FleetTurns = ReturnType<typeof createFleetTurns>;

/** For how long the text of a turn is kept. */
const LEFT_MS = 48 * 3_600_000;

/** Names that a process remembers without Redis; the oldest are dropped first. */
const NAMES_MAX = 1_000;

/** Creates the turns. `redis` is absent in the embedded mode: only this process takes turns then. */
export function createFleetTurns(
  redis:
    { readonly client: Pick<Redis, 'set' | 'get'>; readonly keys: Pick<RedisKeys, 'scanCache'> } | undefined,
  now: () => number = Date.now,
) {
  const taken = createBoundedMap<{ readonly untilMs: number }>(NAMES_MAX, () => 1);
  const isTakenHere = (name: string) => (taken.get(name)?.untilMs ?? -Infinity) > now();
  const left = createBoundedMap<{ readonly text: string }>(NAMES_MAX, () => 1);
  // The keys begin like those of scans, so that the Redis user needs no further rights.
  const keyOf = (name: string, part: string) =>
    redis?.keys.scanCache(hash('sha256', name, 'base64url').slice(0, 22), part) ?? name;
  return {
    /**
     * Whether it is this process's turn. No process of the fleet gets a turn with this name again within `everyMs`.
     * If Redis does not answer, each process takes its own turns. It never rejects.
     */
    async take(name: string, everyMs: number): Promise<boolean> {
      // If this process has just had the turn, Redis need not be asked.
      if (isTakenHere(name)) return false;
      const set = redis?.client.set(keyOf(name, 'look'), '1', 'PX', everyMs, 'NX');
      // `null`: another process has this turn.
      if ((await set?.catch(() => undefined)) === null || isTakenHere(name)) return false;
      taken.set(name, { untilMs: now() + everyMs }, everyMs);
      return true;
    },
    /** The text that the last turn left, in this or another process, within two days. It never rejects. */
    async recall(name: string): Promise<string | undefined> {
      const here = left.get(name)?.text;
      const there = await redis?.client.get(keyOf(name, 'left')).catch(() => undefined);
      return there ?? here;
    },
    /** Leaves a text for the next turn. It never rejects. */
    async leave(name: string, text: string): Promise<void> {
      left.set(name, { text }, LEFT_MS);
      await redis?.client.set(keyOf(name, 'left'), text, 'PX', LEFT_MS).catch(() => undefined);
    },
  };
}
