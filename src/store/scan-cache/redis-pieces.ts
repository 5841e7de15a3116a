import type { Redis } from 'ioredis';
import { detachedCopy } from '../../kernel/detached-copy.ts';
import { createYieldToLoop } from '../../kernel/yield-to-loop.ts';
import { appendPiece } from '../redis/scripts/record-scripts.ts';
import type { ScanCacheHead } from './head-codec.ts';
import { rowSeed, type Segment, splitFrames } from './row-table.ts';

/** The most bytes of one read or write: other commands of the process must get through between two pieces. */
const PIECE_BYTES = 128 * 1024;
/** How much longer than the head its rows live: a process that has just read the head still needs them. */
export const GRACE_MS = 5_000;

/** Divides bytes into pieces of about `PIECE_BYTES`. */
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

/** Writes a long value piece by piece; false where Redis lost it meanwhile. */
export async function writePieces(
  client: Redis,
  key: string,
  all: readonly Buffer[],
  ttlMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  let written = 0;
  for (const piece of piecesOf(all)) {
    signal.throwIfAborted();
    if (written === 0) await client.set(key, piece, 'PX', ttlMs);
    else if ((await appendPiece(client, [key], [piece, written])) === 0) return false;
    written += piece.length;
  }
  return true;
}

/** Reads all rows of a table piece by piece; `undefined` where they are missing or damaged. */
export async function readSegments(
  client: Redis,
  key: string,
  { name, bytes }: ScanCacheHead,
  signal: AbortSignal,
): Promise<readonly Segment[] | undefined> {
  const yieldToLoop = createYieldToLoop(signal);
  const seed = rowSeed(name);
  const segments: Segment[] = [];
  let rest = Buffer.alloc(0);
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    const piece = await client.getrangeBuffer(key, at, Math.min(at + PIECE_BYTES, bytes) - 1);
    rest = Buffer.concat([rest, piece]);
    const segment = splitFrames(seed, rest);
    if (segment === undefined || piece.length === 0) return undefined;
    segments.push({ ...segment, bytes: detachedCopy(segment.bytes) });
    rest = rest.subarray(segment.bytes.length);
    await yieldToLoop();
  }
  return rest.length === 0 ? segments : undefined;
}
