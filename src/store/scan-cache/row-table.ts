// Holds the rows of a scan compactly: as bytes outside of V8's heap, parsed only when a row is needed.

import type { CanonicalRecord } from '../../contract/response-body.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import type { RowCodec } from './row-codec.ts';

/** The JSON texts of some rows, one after another. They are bytes because strings would fill V8's heap. */
export type Segment = {
  readonly bytes: Buffer;
  /** The start of each text, and the end of the last one. */
  readonly starts: Uint32Array;
};

/** The rows of a scan, in the order in which they were read. */
export type RowTable = Readonly<ReturnType<typeof createRowTable>>;

/** Joins the JSON texts of some rows to a segment. */
export function writeSegment(texts: readonly string[]): Segment {
  const starts = new Uint32Array(texts.length + 1);
  let end = 0;
  for (const [index, text] of texts.entries()) starts[index + 1] = end += Buffer.byteLength(text);
  // Not from Node's pool, because a few rows would keep 64 KiB of the pool alive.
  const bytes = Buffer.allocUnsafeSlow(end);
  bytes.write(texts.join(''));
  return { bytes, starts };
}

/** The index of the last number that is not above `value`, in ascending numbers; found by binary search. */
function lastUpTo(numbers: Uint32Array, value: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Joins segments to a table. `name` is random; it is part of the Redis keys of the table. */
export function createRowTable(name: string, codec: RowCodec, segments: readonly Segment[]) {
  const firsts = new Uint32Array(segments.length);
  let [count, bytes] = [0, 0];
  for (const [index, segment] of segments.entries()) {
    firsts[index] = count;
    count += segment.starts.length - 1;
    bytes += segment.bytes.length;
  }

  /** The values of a row as JSON. @throws if there is no such row */
  function text(position: number): string {
    const index = lastUpTo(firsts, position);
    const segment = segments[index];
    const row = position - (firsts[index] ?? 0);
    const end = segment?.starts[row + 1];
    if (segment === undefined || end === undefined)
      throw new Error('a scan cache has no row at this position');
    return segment.bytes.toString('utf8', segment.starts[row], end);
  }

  return {
    name,
    count,
    bytes,
    text,
    /** The record of a row. @throws if there is no such row */
    record(position: number): CanonicalRecord {
      const record = codec.fromValues(tryParseJson(text(position)));
      if (record === undefined) throw new Error('a row of a scan cache cannot be read');
      return record;
    },
  };
}
