/** A copy is not worth it if the rest of the memory block is at most this share of the bytes. */
const SPARE_MAX = 1 / 4;

/**
 * Copies bytes into a memory block of their own. Node takes small buffers from shared blocks of 64 KiB, and other buffers are
 * parts of what a socket or zlib has read. Without a copy, a few hundred bytes would keep the whole block alive. A buffer that
 * fills most of its block is returned as it is.
 */
export function detachedCopy(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length * (1 + SPARE_MAX)) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
