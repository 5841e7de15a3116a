import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Generation } from './cache/cache-entry.ts';
import { expectType } from './redis/expect-type.ts';
import type { RedisKeys } from './redis/redis-keys.ts';

/** What was purged, and in which order. Nothing is deleted: what is older than a purge of its tag is not served. */
export type Purges = {
  /** What has been purged so far; data read from now on is newer. */
  current(): Generation;
  /** Whether something of `generation` was purged since, by one of its tags. */
  isPurged(generation: Generation, tags: readonly string[]): boolean;
  /** The number of the latest purge of a tag that `isAbout` takes. */
  latest(isAbout: (tag: string) => boolean): number;
  /** Purges what carries a tag, in every process within half a second. Rejects where Redis fails. */
  purge(tag: string): Promise<void>;
  /** Learns what other processes purged. Never rejects. */
  look(): Promise<void>;
  close(): void;
};

/** The tag of everything. */
export const EVERYTHING = '*';

const LOOK_MS = 400;
/** Above so many tags, those purged longest ago are forgotten, and everything as old with them. */
const TAGS_MAX = 10_000;

/** Where a full Redis has evicted the tags and not the numbers, everything up to now counts as purged. */
const HEAL = `
${expectType('KEYS[1]', 'hash')}
${expectType('KEYS[2]', 'zset')}
if redis.call('exists', KEYS[2]) == 0 then
  local last = redis.call('hmget', KEYS[1], 'number', 'floor')
  if last[1] and last[1] ~= last[2] then redis.call('hset', KEYS[1], 'floor', last[1]) end
end`;
const PURGE = `${HEAL}
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
 * Where Redis knows of fewer purges than it has told before, as after a failover, a new epoch begins. The tags are a
 * list of their own: Lua cannot unpack as many as are kept.
 */
const LOOK = `${HEAL}
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
type Told = readonly [string, string, string, (readonly string[])?];

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
      // All at once and half of them, so that this is rare.
      if (numbers.size > TAGS_MAX) forget(latest - TAGS_MAX / 2);
    },
    /** What Redis has told: another epoch means that it has lost what it knew. */
    learn([theirs, number, bottom, tags = []]: Told): void {
      if (theirs !== epoch) numbers.clear();
      [epoch, latest] = [theirs, Number(number)];
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
    look: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** Purges that all processes on one Redis share; each asks for them every 400 ms. */
export function createSharedPurges(
  client: Pick<Redis, 'eval' | 'status'>,
  keys: Pick<RedisKeys, 'purges'>,
): Purges {
  const ledger = createLedger();
  const [head, tags] = [keys.purges('head'), keys.purges('tags')];
  const fresh = () => randomBytes(9).toString('base64url');

  async function look(): Promise<void> {
    if (client.status !== 'ready') return;
    const { epoch, purges } = ledger.current();
    try {
      ledger.learn((await client.eval(LOOK, 2, head, tags, epoch, fresh(), purges)) as Told);
    } catch {
      // Redis is out of reach, and so is whatever was purged there: the next look learns of it.
    }
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return {
    current: () => ledger.current(),
    isPurged: (generation, of) => ledger.isPurged(generation, of),
    latest: (isAbout) => ledger.latest(isAbout),
    async purge(tag) {
      await client.eval(PURGE, 2, head, tags, tag, fresh(), TAGS_MAX);
      await look();
    },
    look,
    close: () => clearInterval(timer),
  };
}
