import { crc32 } from 'node:zlib';
import type { YieldToLoop } from '../kernel/yield-to-loop.ts';
import type { ByteSpan, RowTable } from './row-table.ts';

const MAGIC = Buffer.from('PTO1');
const HEAD = 12;
/** Places in a block; each block has a checksum of its own, so that a page needs only the blocks it touches. */
const BLOCK = 128;
const PLACE = 8;
const BLOCK_BYTES = 4 + BLOCK * PLACE;

/** What the checksums start from: another table's order, or another order of this one, is as foreign as damage. */
function seedOf(table: string, order: string): number {
  return crc32(`${MAGIC.toString()} ${table} ${order}`);
}

/**
 * All rows of a table in one order, as bytes: magic and version, checksum, number of rows, and blocks of the places
 * of 128 rows (offset and length, 32 bits each, big-endian) with a checksum each.
 */
export async function encodeOrder(
  order: string,
  table: Pick<RowTable, 'name' | 'spanOf'>,
  positions: Uint32Array,
  yieldToLoop: YieldToLoop,
): Promise<Buffer> {
  const seed = seedOf(table.name, order);
  const blocks = Math.ceil(positions.length / BLOCK);
  const bytes = Buffer.alloc(HEAD + blocks * 4 + positions.length * PLACE);
  MAGIC.copy(bytes);
  bytes.writeUInt32BE(positions.length, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(8, HEAD), seed), 4);
  for (let block = 0; block < blocks; block += 1) {
    const start = HEAD + block * BLOCK_BYTES;
    let at = start + 4;
    for (const position of positions.subarray(block * BLOCK, (block + 1) * BLOCK)) {
      const { offset, length } = table.spanOf(position);
      bytes.writeUInt32BE(offset, at);
      bytes.writeUInt32BE(length, at + 4);
      at += PLACE;
    }
    bytes.writeUInt32BE(crc32(bytes.subarray(start + 4, at), (seed + block) >>> 0), start);
    await yieldToLoop();
  }
  return bytes;
}

/** A range of bytes, both ends included, as GETRANGE takes it. */
export type ByteRange = { readonly from: number; readonly to: number };

/** Where the head of an order stands. */
export const ORDER_HEAD: ByteRange = { from: 0, to: HEAD - 1 };

/** Where the blocks of some rows stand. */
export function blocksRange(offset: number, limit: number): ByteRange {
  const first = Math.floor(offset / BLOCK);
  const last = Math.floor((offset + limit - 1) / BLOCK);
  return { from: HEAD + first * BLOCK_BYTES, to: HEAD + (last + 1) * BLOCK_BYTES - 1 };
}

/** The number of rows that the head of an order tells; `undefined` where it is damaged, or of another order. */
export function readOrderHead(table: string, order: string, head: Buffer): number | undefined {
  if (head.length !== HEAD || !head.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (head.readUInt32BE(4) !== crc32(head.subarray(8), seedOf(table, order))) return undefined;
  return head.readUInt32BE(8);
}

/**
 * The places of the rows `[offset, offset + limit)` of `count`, from the bytes of their blocks; `undefined` where
 * those are damaged, or of another order.
 */
export function readSpans(
  { table, order, count }: { table: string; order: string; count: number },
  blocks: Buffer,
  offset: number,
  limit: number,
): readonly ByteSpan[] | undefined {
  const seed = seedOf(table, order);
  const end = Math.min(offset + limit, count);
  const first = Math.floor(offset / BLOCK);
  const places: ByteSpan[] = [];
  for (let block = first; block * BLOCK < end; block += 1) {
    const start = (block - first) * BLOCK_BYTES;
    const rows = Math.min(BLOCK, count - block * BLOCK);
    if (blocks.length < start + 4 + rows * PLACE) return undefined;
    const content = blocks.subarray(start + 4, start + 4 + rows * PLACE);
    if (blocks.readUInt32BE(start) !== crc32(content, (seed + block) >>> 0)) return undefined;
    for (let at = 0; at < rows; at += 1) {
      const position = block * BLOCK + at;
      if (position < offset || position >= end) continue;
      const offsetAt = at * PLACE;
      places.push({ offset: content.readUInt32BE(offsetAt), length: content.readUInt32BE(offsetAt + 4) });
    }
  }
  return places;
}
