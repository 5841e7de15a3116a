import { randomBytes } from 'node:crypto';

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;
/**
 * One call into the random source serves many ids, which are slices of one text: to write each out of the bytes takes
 * three times as long. A slice keeps the whole text alive, so the text is small.
 */
const POOL_BYTES = 1_024;
const ZEROS = '0'.repeat(TRACE_DIGITS);

let pool = '';
let used = 0;

function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += digits;
  const text = pool.slice(used - digits, used);
  // An id of zeros is invalid.
  return ZEROS.startsWith(text) ? randomHex(digits) : text;
}

/** A new trace id: 32 hexadecimal digits, all random. */
export function newTraceId(): string {
  return randomHex(TRACE_DIGITS);
}

/** A new span id: 16 hexadecimal digits. */
export function newSpanId(): string {
  return randomHex(SPAN_DIGITS);
}
