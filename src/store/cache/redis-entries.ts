// The level of the answer cache that all processes share: reads and writes entries in Redis, and locks a key to fill it.

import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { holdLock, type Lock, newToken } from '../redis/distributed-lock.ts';
import { readOrLock, writeAndUnlock } from '../redis/scripts/lock-scripts.ts';
import { versionedName } from '../redis/stored-bytes.ts';
import { type CacheEntry, decodeEntry, encodeEntry } from './cache-entry.ts';

/** The part of a Redis client that the Redis level of the cache needs. */
export type CacheRedis = Pick<Redis, 'getBuffer' | 'callBuffer'>;

/**
 * What the Redis level needs. `keyOf` gets a digest of the cache key, and `value` or `lock`. One script uses both keys, so
 * they need the same hash tag.
 */
export type RedisEntriesDeps = {
  readonly client: CacheRedis;
  /** Spells the Redis key of a part of an answer. */
  readonly keyOf: (answer: string, part: string) => string;
};

/** What was found in Redis: an entry, `damaged` bytes, or `undefined` if there is nothing. */
export type RedisEntry = CacheEntry | 'damaged' | undefined;

/** The Redis keys of an answer. */
type EntryNames = readonly [value: string, lock: string];

/** The lock to fill a key. It carries the names, so that they are made only once. */
export type EntryLock = Lock & { readonly names: EntryNames };

const VERSIONED_NAME = versionedName('cacheEntry');

/** Creates the level of the cache that is in Redis. Its methods reject if Redis does not answer. */
export function createRedisEntries({ client, keyOf }: RedisEntriesDeps) {
  function namesOf(key: string): EntryNames {
    // Hashed, because a cache key holds words of a caller, of any length. With the version of the envelope, because two
    // versions that share a Redis during an upgrade would overwrite each other's answers and take them for damaged.
    const answer = hash('sha256', `${VERSIONED_NAME} ${key}`, 'base64url').slice(0, 27);
    return [keyOf(answer, 'value'), keyOf(answer, 'lock')];
  }

  function read(key: string, bytes: Buffer | null): RedisEntry {
    return bytes === null ? undefined : (decodeEntry(key, bytes) ?? 'damaged');
  }

  return {
    async get(key: string): Promise<RedisEntry> {
      return read(key, await client.getBuffer(namesOf(key)[0]));
    },
    /** Reads the entry and acquires the lock; with `look`, it acquires the lock only if there is no entry. */
    async getOrLock(key: string, purpose: 'look' | 'fill'): Promise<{ found: RedisEntry; lock?: EntryLock }> {
      const names = namesOf(key);
      const token = newToken();
      const args = [token, purpose === 'look' ? '' : '1'];
      const [acquired, bytes = null] = (await readOrLock(client, names, args)) as [number, (Buffer | null)?];
      const found = read(key, bytes);
      return acquired > 0 ? { found, lock: { ...holdLock(client, names[1], token), names } } : { found };
    },
    /** Writes the entry and deletes the lock. False, and nothing is written, if the lock was lost, because the data may be old. */
    async publish(key: string, entry: CacheEntry, ttlMs: number, lock?: EntryLock): Promise<boolean> {
      const args = [encodeEntry(key, entry), ttlMs, lock?.token ?? ''];
      return (await writeAndUnlock(client, lock?.names ?? namesOf(key), args)) === 1;
    },
  };
}
