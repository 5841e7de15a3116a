/** What bytes may hold beside themselves: a copy would save no more. */
const SPARE_MAX = 1 / 4;

/**
 * The same bytes in memory of their own. Node cuts small buffers out of common ones of 64 KiB, and others are parts of
 * what a socket or zlib has read: whoever keeps a few hundred bytes of such a one keeps all of it.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length * (1 + SPARE_MAX)) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
