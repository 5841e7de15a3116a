// The API keys in Redis, for authentication and for `portico keys`.

import type { Redis } from 'ioredis';
import { type KeyRecord, readKeyRecord, writeKeyRecord } from './key-record.ts';
import type { RedisKeys } from './redis/redis-keys.ts';
import { plainRedisError } from './redis/redis.ts';
import { replaceIfUnchanged } from './redis/scripts/record-scripts.ts';

/** The result of looking an API key up by its id. `damaged` and `unreachable` are faults of the store, not of the caller. */
export type KeyLookup =
  | { readonly kind: 'found'; readonly record: KeyRecord }
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'unreachable'; readonly cause: Error };

/** A key in the list of all keys, with the result of its look-up. */
export type ListedKey = { readonly id: string; readonly lookup: KeyLookup };

/** The records of those listed keys that could be read. */
export function foundRecords(listed: readonly ListedKey[]): readonly KeyRecord[] {
  return listed.flatMap(({ lookup }) => (lookup.kind === 'found' ? [lookup.record] : []));
}

/** The part of a Redis client that the key store needs. */
export type KeyStoreRedis = Pick<Redis, 'get' | 'set' | 'del' | 'sadd' | 'srem' | 'smembers' | 'eval'>;

/** The API keys in Redis: one string per key, always written as a whole. */
export type KeyStore = ReturnType<typeof createKeyStore>;

/** How long a process may remember a key, and how long Redis notes that one was deleted. */
export const KEY_KNOWN_MS = 86_400_000;
/** How often another process may change the key first, before an update fails. */
const UPDATE_ATTEMPTS_MAX = 1_000;
/** How many look-ups run at the same time while all keys are listed. */
const LIST_BATCH = 200;

/** Creates the store of API keys on a Redis. */
export function createKeyStore(redis: KeyStoreRedis, keys: RedisKeys) {
  function lookupOf(id: string, text: string | null): KeyLookup {
    if (text === null) return { kind: 'absent' };
    const record = readKeyRecord(id, text);
    return record === undefined ? { kind: 'damaged' } : { kind: 'found', record };
  }

  /** Looks a key up by its id. Never rejects. */
  async function find(id: string): Promise<KeyLookup> {
    try {
      return lookupOf(id, await redis.get(keys.apiKey(id)));
    } catch (error) {
      const cause = plainRedisError(error);
      return cause.message.startsWith('WRONGTYPE') ? { kind: 'damaged' } : { kind: 'unreachable', cause };
    }
  }

  /** Stores a new record; false if the id is taken. Rejects if Redis fails. */
  async function create(record: KeyRecord): Promise<boolean> {
    // The index is written first: `list` skips an id without a record, but could not find a record without an id.
    await redis.sadd(keys.apiKeyIndex, record.id);
    return (await redis.set(keys.apiKey(record.id), writeKeyRecord(record), 'NX')) !== null;
  }

  /**
   * Replaces a record by the result of `change`. If another process changed it meanwhile, `change` runs again. Returns
   * the look-up after the change; rejects if Redis fails.
   */
  async function update(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyLookup> {
    const key = keys.apiKey(id);
    for (let attempt = 0; attempt < UPDATE_ATTEMPTS_MAX; attempt += 1) {
      const before = await redis.get(key);
      const lookup = lookupOf(id, before);
      if (before === null || lookup.kind !== 'found') return lookup;
      const record = change(lookup.record);
      const replaced = await replaceIfUnchanged(redis, [key], [before, writeKeyRecord(record)]);
      if (replaced === 1) return { kind: 'found', record };
    }
    throw new Error(`key ${id} was changed by others again and again`);
  }

  /** All keys, sorted by id; rejects if Redis fails. */
  async function list(): Promise<readonly ListedKey[]> {
    const ids = (await redis.smembers(keys.apiKeyIndex)).sort();
    const found: ListedKey[] = [];
    for (let from = 0; from < ids.length; from += LIST_BATCH) {
      const batch = ids.slice(from, from + LIST_BATCH);
      found.push(...(await Promise.all(batch.map(async (id) => ({ id, lookup: await find(id) })))));
    }
    const lost = found.find(({ lookup }) => lookup.kind === 'unreachable')?.lookup;
    if (lost?.kind === 'unreachable') throw lost.cause;
    return found.filter(({ lookup }) => lookup.kind !== 'absent');
  }

  /** Deletes the record of a key; rejects if Redis fails. */
  async function deleteKey(id: string): Promise<void> {
    // A Redis that is full takes no note. Without it, gateways that still know the key as valid may say that Redis has lost it.
    await redis.set(keys.deletedApiKey(id), '1', 'PX', KEY_KNOWN_MS).catch(() => undefined);
    // The index goes last: `list` skips an id without a record.
    await redis.del(keys.apiKey(id));
    await redis.srem(keys.apiKeyIndex, id);
  }

  /** Whether `delete` was called for a key within the last day; true, too, if Redis does not say. Never rejects. */
  const isDeleted = (id: string): Promise<boolean> =>
    redis.get(keys.deletedApiKey(id)).then(
      (note) => note !== null,
      () => true,
    );

  return { find, create, update, delete: deleteKey, isDeleted, list };
}
