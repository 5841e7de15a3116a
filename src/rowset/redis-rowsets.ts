import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { CanonicalRecord } from '../contract/response-body.ts';
import { detachedCopy } from '../kernel/detached-copy.ts';
import { createYieldToLoop } from '../kernel/yield-to-loop.ts';
import { expectType } from '../store/redis/expect-type.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RowCodec } from './row-codec.ts';
import {
  createRowTable,
  readFrame,
  type RowTable,
  rowSeed,
  rowsIn,
  type Segment,
  splitFrames,
} from './row-table.ts';
import { decodeHead, encodeHead, type RowSetHead } from './head-codec.ts';
import { acquireLock, type Lock } from '../store/distributed-lock.ts';
import { blocksRange, encodeOrder, ORDER_HEAD, readOrderHead, readSpans } from './order-codec.ts';

/** What a row set is made of before it is published. */
export type NewRowSet = { readonly table: RowTable; readonly storedAt: number; readonly ttlMs: number };

/**
 * The row sets of one resource that a fleet shares through Redis. `scan` names what was scanned. Every method
 * rejects where Redis does not answer; what stands there damaged, foreign or of another version is as good as absent.
 */
export type RedisRowSets = {
  current(scan: string): Promise<RowSetHead | undefined>;
  /** The right to scan for a row set that lives so long; `undefined` where another process has it. */
  lock(scan: string, lifeMs: number): Promise<Lock | undefined>;
  /** Publishes a row set in one step, behind its rows; says whether it took the place of the one before. */
  publish(scan: string, lock: Lock, rowSet: NewRowSet, signal: AbortSignal): Promise<boolean>;
  /** Adds an order of all rows to a published row set. */
  addOrder(
    scan: string,
    order: string,
    rowSet: NewRowSet & { readonly positions: Uint32Array },
    signal: AbortSignal,
  ): Promise<void>;
  /** Some rows in an order, read alone; `undefined` where the order is not there, or a row is not. */
  page(
    scan: string,
    head: RowSetHead,
    order: string,
    offset: number,
    limit: number,
  ): Promise<readonly CanonicalRecord[] | undefined>;
  /** All rows; `undefined` where they are gone. */
  load(scan: string, head: RowSetHead, signal: AbortSignal): Promise<RowTable | undefined>;
};

type RedisRowSetsDeps = {
  readonly client: Redis;
  readonly keys: Pick<RedisKeys, 'rowSet'>;
  /** Names the source, its configuration and the resource. */
  readonly scope: string;
  readonly codec: RowCodec;
};

/** Read or written at once: other commands of the process must get through between two pieces. */
const PIECE_BYTES = 128 * 1024;
/** Far below the longest value of Redis, 512 MiB. */
const SHARED_BYTES_MAX = 256 * 1024 ** 2;
/** Longer than a scan takes. */
const FENCE_MS = 600_000;
/** Whoever has just learned of a row set must still find its rows. */
const GRACE_MS = 5_000;

const PUBLISH = `
${expectType('KEYS[1]', 'hash')}
local known = tonumber(redis.call('hget', KEYS[1], 'fence') or '') or 0
if known > tonumber(ARGV[1]) then return 0 end
redis.call('del', KEYS[1])
redis.call('hset', KEYS[1], 'fence', ARGV[1], 'head', ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[3])
return 1`;
/** APPEND alone would make a key anew that has gone, and nothing would ever remove it. */
const APPEND = `
if redis.call('strlen', KEYS[1]) ~= tonumber(ARGV[2]) then return 0 end
return redis.call('append', KEYS[1], ARGV[1])`;

/** Some bytes as pieces of about `PIECE_BYTES`. */
function* piecesOf(all: readonly Buffer[]): Generator<Buffer> {
  let [some, size]: [Buffer[], number] = [[], 0];
  for (const bytes of all) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const part = bytes.subarray(at, at + PIECE_BYTES);
      some.push(part);
      size += part.length;
      if (size < PIECE_BYTES) continue;
      yield Buffer.concat(some);
      [some, size] = [[], 0];
    }
  }
  yield Buffer.concat(some);
}

/** Creates the row sets that a resource shares. */
export function createRedisRowSets({ client, keys, scope, codec }: RedisRowSetsDeps): RedisRowSets {
  function key(scan: string, part: string): string {
    return keys.rowSet(hash('sha256', `${scope}\n${scan}`, 'base64url').slice(0, 22), part);
  }
  const rowsKey = (scan: string, name: string) => key(scan, `${name}:rows`);
  const orderKey = (scan: string, name: string, order: string) => key(scan, `${name}:order:${order}`);

  /** Says whether all of it stands there: Redis may lose it while it is written. */
  async function write(
    to: string,
    all: readonly Buffer[],
    ttlMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    let written = 0;
    for (const piece of piecesOf(all)) {
      signal.throwIfAborted();
      if (written === 0) await client.set(to, piece, 'PX', ttlMs + GRACE_MS);
      else if ((await client.eval(APPEND, 1, to, piece, written)) === 0) return false;
      written += piece.length;
    }
    return true;
  }

  async function readRows(from: string, { name, bytes }: RowSetHead, signal: AbortSignal) {
    const yieldToLoop = createYieldToLoop(signal);
    const seed = rowSeed(name);
    const segments: Segment[] = [];
    let rest = Buffer.alloc(0);
    for (let at = 0; at < bytes; at += PIECE_BYTES) {
      const piece = await client.getrangeBuffer(from, at, Math.min(at + PIECE_BYTES, bytes) - 1);
      rest = Buffer.concat([rest, piece]);
      const segment = splitFrames(seed, rest);
      if (segment === undefined || piece.length === 0) return undefined;
      segments.push({ ...segment, bytes: detachedCopy(segment.bytes) });
      rest = rest.subarray(segment.bytes.length);
      await yieldToLoop();
    }
    return rest.length === 0 ? segments : undefined;
  }

  async function readPlacesOf(
    scan: string,
    { name, count }: RowSetHead,
    order: string,
    offset: number,
    limit: number,
  ) {
    const from = orderKey(scan, name, order);
    const range = blocksRange(offset, limit);
    const [head, blocks] = await Promise.all([
      client.getrangeBuffer(from, ORDER_HEAD.from, ORDER_HEAD.to),
      client.getrangeBuffer(from, range.from, range.to),
    ]);
    if (readOrderHead(name, order, head) !== count) return undefined;
    return readSpans({ table: name, order, count }, blocks, offset, limit);
  }

  return {
    async current(scan) {
      const now = key(scan, 'now');
      const head = await client.hgetBuffer(now, 'head');
      return head === null ? undefined : decodeHead(now, head);
    },
    lock: (scan, lifeMs) =>
      acquireLock(client, { lock: key(scan, 'lock'), fence: key(scan, 'fence') }, 2 * lifeMs + FENCE_MS),
    async publish(scan, { fence }, rowSet, signal) {
      const { table, storedAt, ttlMs } = rowSet;
      if (table.bytes > SHARED_BYTES_MAX) return false;
      const rows = table.segments.map(({ bytes }) => bytes);
      if (!(await write(rowsKey(scan, table.name), rows, ttlMs, signal))) return false;
      signal.throwIfAborted();
      const now = key(scan, 'now');
      const head = encodeHead(now, { name: table.name, storedAt, count: table.count, bytes: table.bytes });
      return (await client.eval(PUBLISH, 1, now, fence, head, ttlMs)) === 1;
    },
    async addOrder(scan, order, { table, positions, ttlMs }, signal) {
      const bytes = await encodeOrder(order, table, positions, createYieldToLoop(signal));
      await write(orderKey(scan, table.name, order), [bytes], ttlMs, signal);
    },
    async page(scan, head, order, offset, limit) {
      if (offset >= head.count) return [];
      const places = await readPlacesOf(scan, head, order, offset, limit);
      if (places === undefined) return undefined;
      const from = rowsKey(scan, head.name);
      const reads = client.pipeline();
      for (const place of places) reads.getrangeBuffer(from, place.offset, place.offset + place.length - 1);
      const seed = rowSeed(head.name);
      const records: CanonicalRecord[] = [];
      for (const [error, frame] of (await reads.exec()) ?? []) {
        if (error !== null) throw error;
        const record = readFrame(seed, codec, frame as Buffer);
        if (record === undefined) return undefined;
        records.push(record);
      }
      return records.length === places.length ? records : undefined;
    },
    async load(scan, head, signal) {
      const segments = await readRows(rowsKey(scan, head.name), head, signal);
      const count = segments?.reduce((sum, segment) => sum + rowsIn(segment), 0);
      return segments === undefined || count !== head.count
        ? undefined
        : createRowTable(head.name, codec, segments);
    },
  };
}
