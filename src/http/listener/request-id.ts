import { randomBytes } from 'node:crypto';

const CHUNK = 16;
let pool = Buffer.alloc(0);
let used = 0;

/** A fresh request id: `req_` and 22 characters of base64url (128 random bits). */
export function newRequestId(): string {
  // One call into the random source serves many requests.
  if (used + CHUNK > pool.length) {
    pool = randomBytes(CHUNK * 256);
    used = 0;
  }
  used += CHUNK;
  return `req_${pool.toString('base64url', used - CHUNK, used)}`;
}
