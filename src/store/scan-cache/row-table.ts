import type { CanonicalRecord } from '../../contract/response-body.ts';
import { CHECKSUM_BYTES, hasChecksum, readJsonText, sealSeed, writeChecksum } from '../redis/sealed.ts';
import type { RowCodec } from './row-codec.ts';

/**
 * Some rows of a table, one frame after another. A frame is the length of its text (32 bits, big-endian), a checksum
 * that is bound to the table's name, and the text: the row's values as JSON.
 */
export type Segment = {
  readonly bytes: Buffer;
  /** The start of each frame, and the end of the last one. */
  readonly starts: Uint32Array;
};

/** The position of a row's frame in the bytes of its whole table. */
export type ByteSpan = { readonly offset: number; readonly length: number };

/** The rows of one scan as bytes: outside the garbage-collected heap, and the same in memory as in Redis. */
export type RowTable = {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
  readonly segments: readonly Segment[];
  /** The record at a position, from 0. */
  record(position: number): CanonicalRecord;
  spanOf(position: number): ByteSpan;
};

const LENGTH_BYTES = 4;
const HEAD = LENGTH_BYTES + CHECKSUM_BYTES;

/** The seed of the checksums of a table's rows. */
export const rowSeed = (table: string): number => sealSeed('row', table);

/** Serialises records as a segment. */
export function writeSegment(seed: number, codec: RowCodec, records: readonly CanonicalRecord[]): Segment {
  const texts = records.map((record) => JSON.stringify(codec.toValues(record)));
  const lengths = texts.map((text) => Buffer.byteLength(text));
  // Not from Node's pool: a few rows would keep 64 KiB of it alive.
  const bytes = Buffer.allocUnsafeSlow(lengths.reduce((sum, length) => sum + HEAD + length, 0));
  const starts = new Uint32Array(texts.length + 1);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const length = lengths[index] ?? 0;
    starts[index] = at;
    bytes.write(text, at + HEAD);
    bytes.writeUInt32BE(length, at);
    writeChecksum(seed, bytes, at + LENGTH_BYTES, at + HEAD + length);
    at += HEAD + length;
  }
  starts[texts.length] = at;
  return { bytes, starts };
}

/** The end of the frame at `at`; `undefined` if the bytes end before it. */
function frameEnd(bytes: Buffer, at: number): number | undefined {
  const end = at + HEAD > bytes.length ? Infinity : at + HEAD + bytes.readUInt32BE(at);
  return end > bytes.length ? undefined : end;
}

/** The record in one frame; `undefined` if it is damaged or of another table. */
export function readFrame(seed: number, codec: RowCodec, frame: Buffer): CanonicalRecord | undefined {
  if (frameEnd(frame, 0) !== frame.length || !hasChecksum(seed, frame, LENGTH_BYTES, frame.length))
    return undefined;
  return codec.fromValues(readJsonText(frame.toString('utf8', HEAD)));
}

/**
 * Splits bytes into complete frames; the rest is the start of the next frame. `undefined` if a frame is damaged or of
 * another table.
 */
export function splitFrames(seed: number, bytes: Buffer): Segment | undefined {
  const starts = [0];
  for (let at = 0; ;) {
    const end = frameEnd(bytes, at);
    if (end === undefined) return { bytes: bytes.subarray(0, at), starts: Uint32Array.from(starts) };
    if (!hasChecksum(seed, bytes, at + LENGTH_BYTES, end)) return undefined;
    starts.push(end);
    at = end;
  }
}

/** The number of rows in a segment. */
export function rowsIn({ starts }: Segment): number {
  return starts.length - 1;
}

/** Binary search: the index of the last of some ascending numbers that is not above a value. */
function lastUpTo(numbers: Uint32Array, value: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Joins checked segments to a table. */
export function createRowTable(name: string, codec: RowCodec, all: readonly Segment[]): RowTable {
  const segments = all.filter((segment) => rowsIn(segment) > 0);
  const firsts = new Uint32Array(segments.length);
  const offsets: number[] = [];
  let [count, bytes] = [0, 0];
  for (const [index, segment] of segments.entries()) {
    firsts[index] = count;
    offsets.push(bytes);
    count += rowsIn(segment);
    bytes += segment.bytes.length;
  }

  function find(position: number) {
    const index = lastUpTo(firsts, position);
    const segment = segments[index];
    const row = position - (firsts[index] ?? 0);
    const start = segment?.starts[row];
    const end = segment?.starts[row + 1];
    if (segment === undefined || start === undefined || end === undefined)
      throw new Error('a scan cache has no row at this position');
    return { segment, start, end, offset: (offsets[index] ?? 0) + start };
  }

  return {
    name,
    count,
    bytes,
    segments,
    record(position) {
      const { segment, start, end } = find(position);
      const text = segment.bytes.toString('utf8', start + HEAD, end);
      const record = codec.fromValues(readJsonText(text));
      if (record === undefined) throw new Error('a row of a scan cache cannot be read');
      return record;
    },
    spanOf(position) {
      const { start, end, offset } = find(position);
      return { offset, length: end - start };
    },
  };
}
