import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Redis } from 'ioredis';
import { createBoundedMap } from '../store/bounded-map.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RowValues } from './row-codec.ts';

/** A place in a list that can only be walked: what names the window behind it, and what was known there. */
export type Checkpoint = {
  /** The rows before it. */
  readonly offset: number;
  /** What names the window that starts here. */
  readonly next: string;
  readonly total: number;
  /** When the walk began that the place was reached by, milliseconds since the epoch. */
  readonly storedAt: number;
  /** The id of the very first row: a source that forgets cursors may start anew with it. */
  readonly firstId: string;
  /** The row right before this place. */
  readonly last: RowValues;
};

/** Remembers the places that walks have reached. One that is lost is only a longer walk, never an error. */
export type CursorCheckpoints = {
  /** The farthest of some offsets that is known of a walk. */
  farthest(walk: string, offsets: readonly number[]): Promise<Checkpoint | undefined>;
  add(walk: string, checkpoint: Checkpoint, ttlMs: number): Promise<void>;
  /** Forgets all places of a walk. */
  drop(walk: string): Promise<void>;
};

export type CursorCheckpointsDeps = {
  /** Absent: they are remembered by this process alone. */
  readonly redis:
    { readonly client: Redis; readonly keys: Pick<RedisKeys, 'rowSet'>; readonly scope: string } | undefined;
};

type Places = { readonly byOffset: Map<number, Checkpoint> };

/** Walks that a process remembers, and places of each: the oldest go first. */
const WALKS_MAX = 500;
const PLACES_MAX = 2_000;
const VERSION = 'PTK1';

function encode(key: string, { offset, next, total, storedAt, firstId, last }: Checkpoint): string {
  const content = JSON.stringify([offset, next, total, storedAt, firstId, last]);
  return `${VERSION}${crc32(content, crc32(key)).toString(16).padStart(8, '0')}${content}`;
}

/** The checkpoint in a text; `undefined` where it is damaged, of another walk, offset or version. */
function decode(key: string, offset: number, text: string): Checkpoint | undefined {
  const content = text.slice(VERSION.length + 8);
  const sum = crc32(content, crc32(key)).toString(16).padStart(8, '0');
  if (!text.startsWith(VERSION + sum)) return undefined;
  const [at, next, total, storedAt, firstId, last] = JSON.parse(content) as [
    number,
    string,
    number,
    number,
    string,
    RowValues,
  ];
  return at === offset ? { offset, next, total, storedAt, firstId, last } : undefined;
}

/** Creates the memory of one resource's walks. */
export function createCursorCheckpoints({ redis }: CursorCheckpointsDeps): CursorCheckpoints {
  const local = createBoundedMap<Places>(WALKS_MAX, () => 1);

  function keyOf({ keys, scope }: NonNullable<typeof redis>, walk: string): string {
    return keys.rowSet(hash('sha256', `${scope}\n${walk}`, 'base64url').slice(0, 22), 'cursors');
  }

  function remember(walk: string, checkpoint: Checkpoint, ttlMs: number): void {
    const { byOffset } = local.get(walk) ?? { byOffset: new Map<number, Checkpoint>() };
    const oldest = byOffset.size < PLACES_MAX ? undefined : byOffset.keys().next().value;
    if (oldest !== undefined) byOffset.delete(oldest);
    byOffset.set(checkpoint.offset, checkpoint);
    local.set(walk, { byOffset }, ttlMs);
  }

  async function fromRedis(walk: string, offsets: readonly number[]): Promise<Checkpoint | undefined> {
    if (redis === undefined || offsets.length === 0) return undefined;
    const key = keyOf(redis, walk);
    const texts = await redis.client.hmget(key, ...offsets.map(String)).catch(() => []);
    for (const [at, text] of texts.entries()) {
      const found = text === null ? undefined : decode(key, offsets[at] ?? 0, text);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    async farthest(walk, offsets) {
      const descending = [...offsets].sort((a, b) => b - a);
      const near = local.get(walk)?.byOffset;
      const known = descending.map((offset) => near?.get(offset)).find((place) => place !== undefined);
      // The best that can be known is known without asking.
      if (known !== undefined && known.offset === descending[0]) return known;
      const far = await fromRedis(walk, descending);
      return (far?.offset ?? -1) > (known?.offset ?? -1) ? far : known;
    },
    async add(walk, checkpoint, ttlMs) {
      remember(walk, checkpoint, ttlMs);
      if (redis === undefined) return;
      const key = keyOf(redis, walk);
      const commands = redis.client.pipeline();
      commands.hset(key, String(checkpoint.offset), encode(key, checkpoint));
      commands.pexpire(key, Math.ceil(ttlMs));
      await commands.exec().catch(() => undefined);
    },
    async drop(walk) {
      local.delete(walk);
      if (redis !== undefined) await redis.client.del(keyOf(redis, walk)).catch(() => undefined);
    },
  };
}
