import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Generation } from './cache/cache-entry.ts';
import { expectType } from './redis/expect-type.ts';
import type { RedisKeys } from './redis/redis-keys.ts';

/** The sequence of purges. Nothing is deleted: an entry older than a purge of one of its tags is not served. */
export type Purges = {
  /** The current position; data read from now on is newer than every purge so far. */
  current(): Generation;
  /** Whether any of the tags was purged after `generation`. */
  isPurged(generation: Generation, tags: readonly string[]): boolean;
  /** The number of the latest purge among the tags that `isAbout` accepts. */
  latest(isAbout: (tag: string) => boolean): number;
  /** Purges everything with a tag, in every process within half a second. Rejects if Redis fails. */
  purge(tag: string): Promise<void>;
  /** Reads the purges of other processes. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
};

/** The tag that every entry has. */
export const EVERYTHING = '*';

const REFRESH_MS = 400;
/** Above this number of tags, the oldest purges are forgotten, and all entries as old count as purged. */
const TAGS_MAX = 10_000;

/** If a full Redis evicted the tags but not the numbers, everything up to now counts as purged. */
const RECOVER_FLOOR = `
${expectType('KEYS[1]', 'hash')}
${expectType('KEYS[2]', 'zset')}
if redis.call('exists', KEYS[2]) == 0 then
  local last = redis.call('hmget', KEYS[1], 'number', 'floor')
  if last[1] and last[1] ~= last[2] then redis.call('hset', KEYS[1], 'floor', last[1]) end
end`;
const PURGE = `${RECOVER_FLOOR}
redis.call('hsetnx', KEYS[1], 'epoch', ARGV[2])
local number = redis.call('hincrby', KEYS[1], 'number', 1)
redis.call('zadd', KEYS[2], number, ARGV[1])
local over = redis.call('zcard', KEYS[2]) - tonumber(ARGV[3])
if over > 0 then
  local gone = redis.call('zrange', KEYS[2], over - 1, over - 1, 'withscores')
  redis.call('hset', KEYS[1], 'floor', gone[2])
  redis.call('zremrangebyrank', KEYS[2], 0, over - 1)
end
return number`;
/**
 * If Redis knows fewer purges than it reported before, as after a failover, a new epoch begins. The tags are returned
 * as a nested list, because Lua cannot unpack that many.
 */
const READ = `${RECOVER_FLOOR}
redis.call('hsetnx', KEYS[1], 'epoch', ARGV[2])
local head = redis.call('hmget', KEYS[1], 'epoch', 'number', 'floor')
if head[1] == ARGV[1] and tonumber(head[2] or '0') < tonumber(ARGV[3]) then
  redis.call('hset', KEYS[1], 'epoch', ARGV[2])
  head[1] = ARGV[2]
end
local since = head[1] == ARGV[1] and ARGV[3] or '0'
if tonumber(head[2] or '0') == tonumber(since) then return { head[1], head[2] or '0', head[3] or '0' } end
local tags = redis.call('zrangebyscore', KEYS[2], '(' .. since, '+inf', 'withscores')
return { head[1], head[2] or '0', head[3] or '0', tags }`;

/** The epoch, the number of the latest purge, the number below which all is forgotten; tags with their numbers. */
type PurgesReply = readonly [string, string, string, (readonly string[])?];

/** The purges known in this process. */
function createLedger() {
  let [epoch, latest, floor] = ['', 0, 0];
  const numbers = new Map<string, number>();

  function forget(upTo: number): void {
    floor = upTo;
    for (const [tag, number] of numbers) if (number <= floor) numbers.delete(tag);
  }

  return {
    current: (): Generation => ({ epoch, purges: latest }),
    isPurged(generation: Generation, tags: readonly string[]): boolean {
      if (generation.epoch !== epoch || generation.purges < floor) return true;
      if (generation.purges >= latest) return false;
      const since = (tag: string) => (numbers.get(tag) ?? 0) > generation.purges;
      return since(EVERYTHING) || tags.some(since);
    },
    latest(isAbout: (tag: string) => boolean): number {
      let found = floor;
      for (const [tag, number] of numbers)
        if (tag === EVERYTHING || isAbout(tag)) found = Math.max(found, number);
      return found;
    },
    add(tag: string): void {
      latest += 1;
      numbers.set(tag, latest);
      // Half of them at once, so that this is rare.
      if (numbers.size > TAGS_MAX) forget(latest - TAGS_MAX / 2);
    },
    /** Applies the state of Redis. Another epoch means that Redis lost its state. */
    merge([redisEpoch, number, bottom, tags = []]: PurgesReply): void {
      if (redisEpoch !== epoch) numbers.clear();
      [epoch, latest] = [redisEpoch, Number(number)];
      if (Number(bottom) !== floor) forget(Number(bottom));
      for (let i = 0; i + 1 < tags.length; i += 2) numbers.set(tags[i] ?? '', Number(tags[i + 1]));
    },
  };
}

/** The purges of this process alone. */
export function createLocalPurges(): Purges {
  const ledger = createLedger();
  return {
    ...ledger,
    purge(tag) {
      ledger.add(tag);
      return Promise.resolve();
    },
    refresh: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** Purges that all processes on one Redis share; each process reads them every 400 ms. */
export function createSharedPurges(
  client: Pick<Redis, 'eval' | 'status'>,
  keys: Pick<RedisKeys, 'purges'>,
): Purges {
  const ledger = createLedger();
  const [head, tags] = [keys.purges('head'), keys.purges('tags')];
  const fresh = () => randomBytes(9).toString('base64url');

  async function refresh(): Promise<void> {
    if (client.status !== 'ready') return;
    const { epoch, purges } = ledger.current();
    try {
      ledger.merge((await client.eval(READ, 2, head, tags, epoch, fresh(), purges)) as PurgesReply);
    } catch {
      // If Redis is down, the next refresh finds what was purged there.
    }
  }

  const timer = setInterval(() => void refresh(), REFRESH_MS);
  timer.unref();
  return {
    current: () => ledger.current(),
    isPurged: (generation, of) => ledger.isPurged(generation, of),
    latest: (isAbout) => ledger.latest(isAbout),
    async purge(tag) {
      await client.eval(PURGE, 2, head, tags, tag, fresh(), TAGS_MAX);
      await refresh();
    },
    refresh,
    close: () => clearInterval(timer),
  };
}
