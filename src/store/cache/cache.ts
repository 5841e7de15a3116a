import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { detachedCopy } from '../../kernel/detached-copy.ts';
import { createBoundedMap } from '../bounded-map.ts';
import { type CacheEntry, decodeEntry, encodeEntry } from './cache-entry.ts';
import { acquireLockLua, holdLock, type Lock, newToken } from '../distributed-lock.ts';
import type { Purges } from '../purges.ts';
import { compileScript } from '../redis/script.ts';
import type { AttachEncodings, EncodedBodies } from './content-encodings.ts';

/** The part of a Redis client that the cache needs. */
export type CacheRedis = Pick<Redis, 'getBuffer' | 'callBuffer'>;

/** What happened at one level: for the metrics. */
export type OnCacheEvent = (
  level: 'local' | 'redis',
  result: 'hit' | 'stale' | 'miss' | 'stored' | 'damaged' | 'failed',
) => void;

/** What Redis has of a key, as far as it may still be served, and the right to fill it where nobody else has that. */
export type EntryOrLock = { readonly entry: CacheEntry | undefined; readonly lock: Lock | undefined };

/** Two levels: this process, and Redis where there is one. */
export type Cache = {
  /** An entry of this process that may still be served, fresh or stale. */
  local(key: string): CacheEntry | undefined;
  /** The same of Redis. One that fails is a miss, never an error. */
  remote(key: string): Promise<CacheEntry | undefined>;
  /**
   * Looks into Redis and takes the right to fill, in one step: to `look`, only where nothing is there to be served; to
   * `fill`, whatever is there. Rejects where Redis does not answer.
   */
  getOrLock(key: string, purpose: 'look' | 'fill'): Promise<EntryOrLock>;
  /**
   * Keeps an entry until it may not even be stale any more. Resolves once Redis has it or has failed; with a lock,
   * Redis takes it only while nobody else has had one since, and the lock is given back.
   */
  put(key: string, entry: CacheEntry, lock?: Lock): Promise<void>;
  /** Whether other processes share the cache. */
  readonly isShared: boolean;
};

export type CacheDeps = {
  readonly clock: Clock;
  /** Bound of the local level. */
  readonly localBytes: number;
  /** How long the local level may answer before Redis is asked again, seconds. */
  readonly localSeconds: number;
  /** Absent: the local level serves alone. */
  readonly redis?:
    { readonly client: CacheRedis; readonly keyOf: (answer: string, part: string) => string } | undefined;
  readonly purges: Pick<Purges, 'isPurged'>;
  /** Absent: bodies are served as they are. */
  readonly attachEncodings?: AttachEncodings | undefined;
  readonly onEvent: OnCacheEvent;
};

const ENTRY_OVERHEAD_BYTES = 512;
/** Longer than any fill takes. */
const FENCE_MS = 600_000;

/** KEYS: value, fence, lock. ARGV: token, how long numbers of locks are kept, whether to fill whatever is there. */
const take = compileScript(`
local value = redis.call('get', KEYS[1])
if value and ARGV[3] == '' then return { 0, value } end
${acquireLockLua({ lock: 'KEYS[3]', fence: 'KEYS[2]', token: 'ARGV[1]', fenceMs: 'ARGV[2]' })}
return { fence, value }`);
/** KEYS: value, fence, lock. ARGV: value, how long it is kept, number and token of the lock. */
const publish = compileScript(`
local kept = 0
if ARGV[3] == '' or redis.call('get', KEYS[2]) == ARGV[3] then
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  kept = 1
end
if ARGV[4] ~= '' and redis.call('get', KEYS[3]) == ARGV[4] then redis.call('del', KEYS[3]) end
return kept`);

/** Milliseconds since an entry's data was read; a clock that jumped makes nothing younger than new. */
export function ageMs({ storedAt }: CacheEntry, clock: Clock): number {
  return Math.max(0, clock.now() - storedAt);
}

/** Creates the cache of finished answers. */
export function createCache(deps: CacheDeps): Cache {
  const { clock, localBytes, localSeconds, redis, purges, attachEncodings, onEvent } = deps;
  const local = createBoundedMap<CacheEntry>(
    localBytes,
    ({ body, encodings }, key) =>
      body.length + (encodings?.bytes ?? 0) + key.length * 2 + ENTRY_OVERHEAD_BYTES,
  );

  const leftMs = (entry: CacheEntry) => entry.freshMs + entry.staleMs - ageMs(entry, clock);
  const isFresh = (entry: CacheEntry) => ageMs(entry, clock) < entry.freshMs;
  const isUsable = (entry: CacheEntry) => leftMs(entry) > 0 && !purges.isPurged(entry.generation, entry.tags);

  function namesOf(keyOf: NonNullable<CacheDeps['redis']>['keyOf'], key: string) {
    // A key has words of a caller in it, of any length.
    const answer = hash('sha256', key, 'base64url').slice(0, 27);
    return [keyOf(answer, 'value'), keyOf(answer, 'fence'), keyOf(answer, 'lock')] as const;
  }

  function keepLocally(key: string, entry: CacheEntry): CacheEntry {
    const left = leftMs(entry);
    // What is kept must weigh what it is counted as.
    const own = { ...entry, body: detachedCopy(entry.body) };
    const kept = attachEncodings?.(own, local.latest(key), (encodings) => resize(key, encodings)) ?? own;
    local.set(key, kept, redis === undefined ? left : Math.min(left, localSeconds * 1_000));
    return kept;
  }

  function resize(key: string, encodings: EncodedBodies): void {
    const kept = local.latest(key);
    if (kept?.encodings === encodings) local.replace(key, { ...kept });
  }

  /** The entry in what Redis has; `undefined` where it may not be served. */
  function readFar(key: string, bytes: Buffer | null): CacheEntry | undefined {
    const entry = bytes === null ? undefined : decodeEntry(key, bytes);
    if (bytes !== null && entry === undefined) onEvent('redis', 'damaged');
    const usable = entry !== undefined && isUsable(entry) ? entry : undefined;
    onEvent('redis', usable === undefined ? 'miss' : isFresh(usable) ? 'hit' : 'stale');
    return usable && keepLocally(key, usable);
  }

  async function takeFar(
    { client, keyOf }: NonNullable<CacheDeps['redis']>,
    key: string,
    purpose: 'look' | 'fill',
  ): Promise<EntryOrLock> {
    const names = namesOf(keyOf, key);
    const token = newToken();
    const args = [token, FENCE_MS, purpose === 'look' ? '' : '1'];
    const [fence, bytes = null] = (await take(client, names, args)) as [number, (Buffer | null)?];
    const lock = fence > 0 ? holdLock(client, names[2], token, fence) : undefined;
    const entry = readFar(key, bytes);
    // What is there may not be served.
    if (purpose === 'look' && bytes !== null && entry === undefined)
      return takeFar({ client, keyOf }, key, 'fill');
    return { entry, lock };
  }

  return {
    isShared: redis !== undefined,
    local(key) {
      const kept = local.get(key);
      const near = kept !== undefined && isUsable(kept) ? kept : undefined;
      onEvent('local', near === undefined ? 'miss' : isFresh(near) ? 'hit' : 'stale');
      return near;
    },
    async remote(key) {
      if (redis === undefined) return undefined;
      try {
        return readFar(key, await redis.client.getBuffer(namesOf(redis.keyOf, key)[0]));
      } catch {
        onEvent('redis', 'failed');
        return undefined;
      }
    },
    async getOrLock(key, purpose) {
      if (redis === undefined) return { entry: undefined, lock: undefined };
      try {
        return await takeFar(redis, key, purpose);
      } catch (error) {
        onEvent('redis', 'failed');
        throw error;
      }
    },
    async put(key, entry, lock) {
      keepLocally(key, entry);
      const ttlMs = Math.ceil(leftMs(entry));
      if (redis === undefined || ttlMs <= 0) return lock?.release();
      const { fence = '', token = '' } = lock ?? {};
      try {
        const args = [encodeEntry(key, entry), ttlMs, fence, token];
        const kept = await publish(redis.client, namesOf(redis.keyOf, key), args);
        lock?.stopRenewal();
        if (kept === 1) onEvent('redis', 'stored');
      } catch {
        onEvent('redis', 'failed');
        await lock?.release();
      }
    },
  };
}
