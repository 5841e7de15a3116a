import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { createYieldToLoop } from '../../kernel/yield-to-loop.ts';
import { acquireLock, type FencedLock } from '../redis/distributed-lock.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { publishHead } from '../redis/scripts/record-scripts.ts';
import { decodeHead, encodeHead, type ScanCacheHead } from './head-codec.ts';
import { blocksRange, encodeOrder, ORDER_HEAD, readOrderHead, readSpans } from './order-codec.ts';
import { GRACE_MS, readSegments, writePieces } from './redis-pieces.ts';
import type { RowCodec } from './row-codec.ts';
import { type ByteSpan, createRowTable, readFrame, type RowTable, rowSeed, rowsIn } from './row-table.ts';

/** A scan cache before it is published. */
export type NewScanCache = { readonly table: RowTable; readonly storedAt: number; readonly ttlMs: number };

/**
 * The scan caches of one resource that a fleet shares through Redis. `scan` names what was scanned. Every method rejects
 * where Redis does not answer; a value there that is damaged, foreign or of another version counts as absent.
 */
export type RedisScanCaches = {
  current(scan: string): Promise<ScanCacheHead | undefined>;
  /** The lock to scan; `undefined` where another process holds it. Its fencing token is kept for `fenceMs`. */
  lock(scan: string, fenceMs: number): Promise<FencedLock | undefined>;
  /** Writes the rows, then publishes the scan cache in one step; says whether it replaced the one before. */
  publish(scan: string, lock: FencedLock, scanCache: NewScanCache, signal: AbortSignal): Promise<boolean>;
  /** Adds an order of all rows to a published scan cache. */
  addOrder(
    scan: string,
    order: string,
    scanCache: NewScanCache & { readonly positions: Uint32Array },
    signal: AbortSignal,
  ): Promise<void>;
  /** Some rows in an order, without the others; `undefined` where the order or a row is missing. */
  page(
    scan: string,
    head: ScanCacheHead,
    order: string,
    offset: number,
    limit: number,
  ): Promise<readonly CanonicalRecord[] | undefined>;
  /** All rows; `undefined` where they are missing. */
  load(scan: string, head: ScanCacheHead, signal: AbortSignal): Promise<RowTable | undefined>;
};

type RedisScanCachesDeps = {
  readonly client: Redis;
  readonly keys: Pick<RedisKeys, 'scanCache'>;
  /** Identifies the source, its configuration and the resource. */
  readonly scope: string;
  readonly codec: RowCodec;
};

/** Far below the longest value of Redis, 512 MiB. */
const SHARED_BYTES_MAX = 256 * 1024 ** 2;

/** Reads the spans of some rows from an order; `undefined` where the order is missing or of another count. */
async function readSpansOf(
  client: Redis,
  from: string,
  { name, count }: ScanCacheHead,
  order: string,
  [offset, limit]: readonly [number, number],
): Promise<readonly ByteSpan[] | undefined> {
  const range = blocksRange(offset, limit);
  const [head, blocks] = await Promise.all([
    client.getrangeBuffer(from, ORDER_HEAD.from, ORDER_HEAD.to),
    client.getrangeBuffer(from, range.from, range.to),
  ]);
  if (readOrderHead(name, order, head) !== count) return undefined;
  return readSpans({ table: name, order, count }, blocks, offset, limit);
}

/** Reads the records of some spans; `undefined` where one of them is missing. */
async function readRecords(
  { client, codec }: RedisScanCachesDeps,
  from: string,
  name: string,
  spans: readonly ByteSpan[],
): Promise<readonly CanonicalRecord[] | undefined> {
  const reads = client.pipeline();
  for (const { offset, length } of spans) reads.getrangeBuffer(from, offset, offset + length - 1);
  const seed = rowSeed(name);
  const records: CanonicalRecord[] = [];
  for (const [error, frame] of (await reads.exec()) ?? []) {
    if (error !== null) throw error;
    const record = readFrame(seed, codec, frame as Buffer);
    if (record === undefined) return undefined;
    records.push(record);
  }
  return records.length === spans.length ? records : undefined;
}

/** Creates the scan caches of one resource, which a fleet shares. */
export function createRedisScanCaches(deps: RedisScanCachesDeps): RedisScanCaches {
  const { client, keys, scope, codec } = deps;
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
      const { name, count, bytes, segments } = table;
      if (bytes > SHARED_BYTES_MAX) return false;
      const rows = segments.map((segment) => segment.bytes);
      if (!(await writePieces(client, rowsKey(scan, name), rows, ttlMs + GRACE_MS, signal))) return false;
      signal.throwIfAborted();
      const now = key(scan, 'now');
      const head = encodeHead(now, { name, storedAt, count, bytes });
      return (await publishHead(client, [now], [fence, head, ttlMs])) === 1;
    },
    async addOrder(scan, order, { table, positions, ttlMs }, signal) {
      const bytes = await encodeOrder(order, table, positions, createYieldToLoop(signal));
      await writePieces(client, orderKey(scan, table.name, order), [bytes], ttlMs + GRACE_MS, signal);
    },
    async page(scan, head, order, offset, limit) {
      if (offset >= head.count) return [];
      const spans = await readSpansOf(client, orderKey(scan, head.name, order), head, order, [offset, limit]);
      return spans && readRecords(deps, rowsKey(scan, head.name), head.name, spans);
    },
    async load(scan, head, signal) {
      const segments = await readSegments(client, rowsKey(scan, head.name), head, signal);
      const count = segments?.reduce((sum, segment) => sum + rowsIn(segment), 0);
      if (segments === undefined || count !== head.count) return undefined;
      return createRowTable(head.name, codec, segments);
    },
  };
}
