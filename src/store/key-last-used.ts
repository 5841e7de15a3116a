import type { Redis } from 'ioredis';

/**
 * When each API key was last used, in ms since the epoch, by the id of the key. A process writes at most once a minute, so
 * the latest uses may be missing.
 */
export type KeyLastUsed = ReturnType<typeof createKeyLastUsed>;

const CHUNK = 500;

function chunksOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, at) =>
    all.slice(at * CHUNK, (at + 1) * CHUNK),
  );
}

/** Creates the record of uses, as one Redis hash under `key`. */
export function createKeyLastUsed(client: Pick<Redis, 'hset' | 'hmget' | 'hdel'>, key: string) {
  return {
    /** Writes the times of some keys, by id. Rejects if Redis fails. */
    async write(uses: ReadonlyMap<string, number>): Promise<void> {
      for (const chunk of chunksOf([...uses])) await client.hset(key, Object.fromEntries(chunk));
    },
    /** The times of some keys; a key that was never used is absent. Rejects if Redis fails. */
    async read(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const found = new Map<string, number>();
      for (const chunk of chunksOf(ids)) {
        const times = await client.hmget(key, ...chunk);
        chunk.forEach((id, index) => {
          const time = Number(times[index] ?? Number.NaN);
          if (Number.isInteger(time)) found.set(id, time);
        });
      }
      return found;
    },
    /** Removes the time of a key. Rejects if Redis fails. */
    async forget(id: string): Promise<void> {
      await client.hdel(key, id);
    },
  };
}
