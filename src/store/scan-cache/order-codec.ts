import type { YieldToLoop } from '../../kernel/yield-to-loop.ts';
import {
  CHECKSUM_BYTES,
  hasChecksum,
  seal,
  SEAL_BYTES,
  sealSeed,
  unseal,
  writeChecksum,
} from '../redis/sealed.ts';
import type { ByteSpan, RowTable } from './row-table.ts';

const HEAD_BYTES = SEAL_BYTES + 4;
/** Spans in a block. Each block has a checksum of its own, so that a page needs only the blocks it touches. */
const BLOCK_SPANS = 128;
/** Offset and length of a row's frame, 32 bits each, big-endian. */
const SPAN_BYTES = 8;
const BLOCK_BYTES = CHECKSUM_BYTES + BLOCK_SPANS * SPAN_BYTES;

/** An order belongs to one table, and is sealed for both names. */
const keyOf = (table: string, order: string) => `${table} ${order}`;
const blockSeed = (seed: number, block: number) => (seed + block) >>> 0;

/** The bytes of all rows of a table in one order: a sealed number of rows, then blocks of the spans of 128 rows. */
export async function encodeOrder(
  order: string,
  table: Pick<RowTable, 'name' | 'spanOf'>,
  positions: Uint32Array,
  yieldToLoop: YieldToLoop,
): Promise<Buffer> {
  const key = keyOf(table.name, order);
  const seed = sealSeed('order', key);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(positions.length);
  const blocks = Math.ceil(positions.length / BLOCK_SPANS);
  const bytes = Buffer.alloc(HEAD_BYTES + blocks * CHECKSUM_BYTES + positions.length * SPAN_BYTES);
  seal('order', key, count).copy(bytes);
  for (let block = 0; block < blocks; block += 1) {
    const start = HEAD_BYTES + block * BLOCK_BYTES;
    let at = start + CHECKSUM_BYTES;
    for (const position of positions.subarray(block * BLOCK_SPANS, (block + 1) * BLOCK_SPANS)) {
      const { offset, length } = table.spanOf(position);
      at = bytes.writeUInt32BE(length, bytes.writeUInt32BE(offset, at));
    }
    writeChecksum(blockSeed(seed, block), bytes, start, at);
    await yieldToLoop();
  }
  return bytes;
}

/** A range of bytes, both ends included, as GETRANGE takes it. */
export type ByteRange = { readonly from: number; readonly to: number };

/** The range of an order's head. */
export const ORDER_HEAD: ByteRange = { from: 0, to: HEAD_BYTES - 1 };

/** The range of the blocks that hold some rows. */
export function blocksRange(offset: number, limit: number): ByteRange {
  const first = Math.floor(offset / BLOCK_SPANS);
  const last = Math.floor((offset + limit - 1) / BLOCK_SPANS);
  return { from: HEAD_BYTES + first * BLOCK_BYTES, to: HEAD_BYTES + (last + 1) * BLOCK_BYTES - 1 };
}

/** The number of rows in an order, from its head; `undefined` where that is damaged, or of another order. */
export function readOrderHead(table: string, order: string, head: Buffer): number | undefined {
  return head.length === HEAD_BYTES ? unseal('order', keyOf(table, order), head)?.readUInt32BE(0) : undefined;
}

/**
 * Reads the spans of the rows `[offset, offset + limit)` of `count` from the bytes of their blocks; `undefined` if
 * those are damaged or of another order.
 */
export function readSpans(
  { table, order, count }: { table: string; order: string; count: number },
  blocks: Buffer,
  offset: number,
  limit: number,
): readonly ByteSpan[] | undefined {
  const seed = sealSeed('order', keyOf(table, order));
  const end = Math.min(offset + limit, count);
  const first = Math.floor(offset / BLOCK_SPANS);
  const spans: ByteSpan[] = [];
  for (let block = first; block * BLOCK_SPANS < end; block += 1) {
    const start = (block - first) * BLOCK_BYTES;
    const rows = Math.min(BLOCK_SPANS, count - block * BLOCK_SPANS);
    const blockEnd = start + CHECKSUM_BYTES + rows * SPAN_BYTES;
    if (blocks.length < blockEnd || !hasChecksum(blockSeed(seed, block), blocks, start, blockEnd))
      return undefined;
    for (let row = 0; row < rows; row += 1) {
      const position = block * BLOCK_SPANS + row;
      if (position < offset || position >= end) continue;
      const at = start + CHECKSUM_BYTES + row * SPAN_BYTES;
      spans.push({ offset: blocks.readUInt32BE(at), length: blocks.readUInt32BE(at + 4) });
    }
  }
  return spans;
}
