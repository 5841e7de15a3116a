import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createBoundedMap } from '../memory/bounded-map.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { openJsonEnvelope, toEnvelope } from '../redis/stored-bytes.ts';
import type { RowValues } from './row-codec.ts';

/**
 * A position in a list that can only be walked: read window by window from its first row, because each reply has the cursor of the
 * next window. Checkpoints let the walk for a later page start at a position that an earlier walk has reached.
 */
export type Checkpoint = {
  /** The number of rows before this position. */
  readonly offset: number;
  /** The cursor of the window that starts here. */
  readonly next: string;
  /** The number of all rows that the source reported. */
  readonly total: number;
  /** When the walk that reached this position began, in milliseconds since the epoch. */
  readonly storedAt: number;
  /** The id of the first row of the list. If a source has forgotten the cursor, it may start again with this row. */
  readonly firstId: string;
  /** The row right before this position. */
  readonly last: RowValues;
};

/** Remembers the checkpoints of walks. A lost checkpoint only makes a later walk longer; it is never an error. */
export type CursorCheckpoints = ReturnType<typeof createCursorCheckpoints>;

/** Where checkpoints are kept. `scope` names the resource and the version of its source file; scopes share no checkpoints. */
export type CursorCheckpointsDeps = {
  /** Absent: only this process remembers the checkpoints. */
  readonly redis:
    | { readonly client: Redis; readonly keys: Pick<RedisKeys, 'scanCache'>; readonly scope: string }
    | undefined;
};

/** How many walks a process remembers, and how many checkpoints of each; the oldest are dropped first. */
const WALKS_MAX = 500;
const CHECKPOINTS_MAX = 2_000;

type Values = [
  offset: number,
  next: string,
  total: number,
  storedAt: number,
  firstId: string,
  last: RowValues,
];

function encode(key: string, { offset, next, total, storedAt, firstId, last }: Checkpoint): Buffer {
  const values: Values = [offset, next, total, storedAt, firstId, last];
  return toEnvelope('checkpoint', key, JSON.stringify(values));
}

/** Reads the bytes of `encode`; `undefined` if they are damaged, or of another walk, offset or version. */
function decode(key: string, offset: number, envelope: Buffer): Checkpoint | undefined {
  const values = openJsonEnvelope('checkpoint', key, envelope) as Values | undefined;
  if (values?.[0] !== offset) return undefined;
  const [, next, total, storedAt, firstId, last] = values;
  return { offset, next, total, storedAt, firstId, last };
}

/** Creates the checkpoints of one resource's walks. */
export function createCursorCheckpoints({ redis }: CursorCheckpointsDeps) {
  const local = createBoundedMap<Map<number, Checkpoint>>(WALKS_MAX, () => 1);

  function keyOf({ keys, scope }: NonNullable<typeof redis>, walk: string): string {
    return keys.scanCache(hash('sha256', `${scope}\n${walk}`, 'base64url').slice(0, 22), 'cursors');
  }

  function remember(walk: string, checkpoint: Checkpoint, ttlMs: number): void {
    const byOffset = local.get(walk) ?? new Map<number, Checkpoint>();
    const oldest = byOffset.size < CHECKPOINTS_MAX ? undefined : byOffset.keys().next().value;
    if (oldest !== undefined) byOffset.delete(oldest);
    byOffset.set(checkpoint.offset, checkpoint);
    local.set(walk, byOffset, ttlMs);
  }

  async function fromRedis(walk: string, offsets: readonly number[]): Promise<Checkpoint | undefined> {
    if (redis === undefined || offsets.length === 0) return undefined;
    const key = keyOf(redis, walk);
    const found = await redis.client.hmgetBuffer(key, ...offsets.map(String)).catch(() => []);
    for (const [index, offset] of offsets.entries()) {
      const bytes = found[index] ?? undefined;
      const checkpoint = bytes === undefined ? undefined : decode(key, offset, bytes);
      if (checkpoint !== undefined) return checkpoint;
    }
    return undefined;
  }

  return {
    /** The farthest known checkpoint of a walk at one of the offsets; `undefined` if there is none. */
    async farthest(walk: string, offsets: readonly number[]): Promise<Checkpoint | undefined> {
      const descending = [...offsets].sort((a, b) => b - a);
      const byOffset = local.get(walk);
      const near = descending.map((offset) => byOffset?.get(offset)).find((known) => known !== undefined);
      // Redis cannot have a farther checkpoint.
      if (near !== undefined && near.offset === descending[0]) return near;
      const far = await fromRedis(walk, descending);
      return (far?.offset ?? -1) > (near?.offset ?? -1) ? far : near;
    },
    /** Remembers a checkpoint of a walk for `ttlMs`. */
    async add(walk: string, checkpoint: Checkpoint, ttlMs: number): Promise<void> {
      remember(walk, checkpoint, ttlMs);
      if (redis === undefined) return;
      const key = keyOf(redis, walk);
      const commands = redis.client.pipeline();
      commands.hset(key, String(checkpoint.offset), encode(key, checkpoint));
      commands.pexpire(key, Math.ceil(ttlMs));
      await commands.exec().catch(() => undefined);
    },
    /** Forgets all checkpoints of a walk. */
    async drop(walk: string): Promise<void> {
      local.delete(walk);
      if (redis !== undefined) await redis.client.del(keyOf(redis, walk)).catch(() => undefined);
    },
  };
}
