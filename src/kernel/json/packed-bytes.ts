/** Bytes, four in a number, which are compared and written at once. `mask` has the used bits of the last number. */
export type PackedBytes = {
  readonly words: Int32Array;
  /** How many numbers count as a whole. */
  readonly whole: number;
  readonly mask: number;
  readonly length: number;
};

/** Packs bytes, the first of four into the lowest bits. */
export function packBytes(bytes: Uint8Array): PackedBytes {
  const { length } = bytes;
  const whole = length >> 2;
  const view = new DataView(new ArrayBuffer((whole + 1) * 4));
  for (const [at, byte] of bytes.entries()) view.setUint8(at, byte);
  const words = Int32Array.from({ length: whole + 1 }, (_, index) => view.getInt32(index * 4, true));
  return { words, whole, mask: (1 << ((length & 3) * 8)) - 1, length };
}
