import { randomBytes } from 'node:crypto';

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/** One call into the random source serves many ids. */
const POOL_BYTES = 4_096;

const ZEROS: Readonly<Record<number, string>> = {
  [TRACE_BYTES]: '0'.repeat(2 * TRACE_BYTES),
  [SPAN_BYTES]: '0'.repeat(2 * SPAN_BYTES),
};

let pool = Buffer.alloc(0);
let used = 0;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += bytes;
  const text = pool.toString('hex', used - bytes, used);
  // An id of zeros is invalid.
  return text === ZEROS[bytes] ? randomHex(bytes) : text;
}

/** A new trace id: 32 hexadecimal digits, all random. */
export function newTraceId(): string {
  return randomHex(TRACE_BYTES);
}

/** A new span id: 16 hexadecimal digits. */
export function newSpanId(): string {
  return randomHex(SPAN_BYTES);
}
