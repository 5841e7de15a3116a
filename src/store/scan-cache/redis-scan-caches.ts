// Shares the rows of a scan through Redis, so that one process scans and all processes answer from the rows.

import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { createYieldToLoop } from '../../kernel/yield-to-loop.ts';
import { acquireLock, type FencedLock } from '../redis/distributed-lock.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { publishHead } from '../redis/scripts/record-scripts.ts';
import { BATCH_BYTES, readChunks, writeChunks } from './redis-chunks.ts';
import type { RowCodec } from './row-codec.ts';
import { createRowTable, type RowTable, type Segment, writeSegment } from './row-table.ts';
import { decodeHead, encodeHead, type ScanCacheHead } from './scan-cache-head.ts';

/** A scan cache before it is published. `ttlMs`: how long Redis keeps it. */
export type NewScanCache = { readonly table: RowTable; readonly storedAt: number; readonly ttlMs: number };

/**
 * The scan caches of one resource that a fleet shares through Redis, so that one scan serves all processes. `scan` names the
 * scanned list. Every method rejects if Redis does not answer. A damaged or foreign value, or one of another version, counts
 * as absent.
 */
export type RedisScanCaches = {
  /** The head of the published scan cache. */
  current(scan: string): Promise<ScanCacheHead | undefined>;
  /** Acquires the lock to scan; `undefined` if another process holds it. Redis keeps its fencing token for `fenceMs`. */
  lock(scan: string, fenceMs: number): Promise<FencedLock | undefined>;
  /** Writes the rows, then publishes their head in one step. False if they are too large, or a later scan has published. */
  publish(scan: string, lock: FencedLock, scanCache: NewScanCache, signal: AbortSignal): Promise<boolean>;
  /** Adds a sort order of all rows to a published scan cache. */
  addOrder(
    scan: string,
    order: string,
    scanCache: NewScanCache & { readonly positions: Uint32Array },
    signal: AbortSignal,
  ): Promise<void>;
  /** Reads only the rows of a page in a sort order; `undefined` if the order or a row is missing. */
  page(
    scan: string,
    head: ScanCacheHead,
    order: string,
    offset: number,
    limit: number,
  ): Promise<readonly CanonicalRecord[] | undefined>;
  /** Reads all rows; `undefined` if they are missing. */
  load(scan: string, head: ScanCacheHead, signal: AbortSignal): Promise<RowTable | undefined>;
};

type RedisScanCachesDeps = {
  readonly client: Redis;
  readonly keys: Pick<RedisKeys, 'scanCache'>;
  /** Identifies the source, its configuration and the resource. */
  readonly scope: string;
  readonly codec: RowCodec;
};

/** A larger scan cache is not shared, because other users of Redis need memory, too. */
const SHARED_BYTES_MAX = 256 * 1024 ** 2;
/** How much longer than the head the rows are kept, for a process that has just read the head. */
const GRACE_MS = 5_000;

/** The whole numbers from `from` up to, not including, `end`. */
const range = (from: number, end: number) => Array.from({ length: end - from }, (_, index) => from + index);

/** Creates the scan caches of one resource, which a fleet shares. */
export function createRedisScanCaches({ client, keys, scope, codec }: RedisScanCachesDeps): RedisScanCaches {
  function key(scan: string, part: string): string {
    return keys.scanCache(hash('sha256', `${scope}\n${scan}`, 'base64url').slice(0, 22), part);
  }
  const rowsKey = (scan: string, name: string) => key(scan, `${name}:rows`);
  const orderKey = (scan: string, name: string, order: string) => key(scan, `${name}:order:${order}`);

  return {
    async current(scan) {
      const now = key(scan, 'now');
      const head = await client.hgetBuffer(now, 'head');
      return head === null ? undefined : decodeHead(now, head);
    },
    lock: (scan, fenceMs) =>
      acquireLock(client, { lock: key(scan, 'lock'), fence: key(scan, 'fence') }, fenceMs),
    async publish(scan, { fence }, { table, storedAt, ttlMs }, signal) {
      const { name, count, bytes } = table;
      if (bytes > SHARED_BYTES_MAX) return false;
      const rows = { count, textOf: table.text };
      await writeChunks(client, rowsKey(scan, name), rows, ttlMs + GRACE_MS, signal);
      signal.throwIfAborted();
      const now = key(scan, 'now');
      const head = encodeHead(now, { name, storedAt, count, bytes });
      return (await publishHead(client, [now], [fence, head, ttlMs])) === 1;
    },
    async addOrder(scan, order, { table, positions, ttlMs }, signal) {
      const list = { count: positions.length, textOf: (index: number) => String(positions[index]) };
      await writeChunks(client, orderKey(scan, table.name, order), list, ttlMs + GRACE_MS, signal);
    },
    async page(scan, { name, count }, order, offset, limit) {
      const wanted = range(offset, Math.max(offset, Math.min(offset + limit, count)));
      const positions = await readChunks(client, orderKey(scan, name, order), wanted);
      const rows = positions && (await readChunks(client, rowsKey(scan, name), positions as number[]));
      const records = rows?.map((values) => codec.fromValues(values));
      return records?.every((record) => record !== undefined) ? records : undefined;
    },
    async load(scan, { name, count, bytes }, signal) {
      const yieldToLoop = createYieldToLoop(signal);
      const segments: Segment[] = [];
      const step = Math.ceil((BATCH_BYTES * count) / (bytes + 1));
      for (let from = 0; from < count; from += step) {
        const rows = await readChunks(client, rowsKey(scan, name), range(from, Math.min(from + step, count)));
        if (rows === undefined) return undefined;
        segments.push(writeSegment(rows.map((values) => JSON.stringify(values))));
        await yieldToLoop();
      }
      return createRowTable(name, codec, segments);
    },
  };
}
