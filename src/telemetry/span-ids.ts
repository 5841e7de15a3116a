// Makes random ids of traces and spans (W3C Trace Context).

import { randomBytes } from 'node:crypto';

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/** The random bytes that are fetched at once, for many ids, because each call of the random source is slow. */
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
  // An id of only zeros is invalid.
  return text === ZEROS[bytes] ? randomHex(bytes) : text;
}

/** Makes a trace id: 32 random hexadecimal digits. */
export function newTraceId(): string {
  return randomHex(TRACE_BYTES);
}

/** Makes a span id: 16 random hexadecimal digits. */
export function newSpanId(): string {
  return randomHex(SPAN_BYTES);
}
