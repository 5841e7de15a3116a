import { crc32 } from 'node:zlib';

/**
 * The sealed form of everything that Portico stores in Redis as bytes: magic, checksum, payload. The magic ends with a
 * version. The checksum is bound to the form and to a key, so a value of another key or version is rejected like a
 * damaged one. Raise a version whenever its payload changes: older values are then misses.
 */
const MAGIC = {
  cacheEntry: 'PTC4',
  checkpoint: 'PTK2',
  order: 'PTO2',
  row: 'PTR2',
  scanCache: 'PTS2',
} as const;

/** What sealed bytes hold. Each form has a version of its own, so one can change without making the others misses. */
export type SealedForm = keyof typeof MAGIC;

/** Bytes before the payload: the magic and the checksum, 4 bytes each. */
export const SEAL_BYTES = 8;
const MAGIC_BYTES = 4;
/** The length of a checksum: CRC-32, big-endian. */
export const CHECKSUM_BYTES = 4;

/** The name of a form, with its version. A Redis key made with it is no key of another version. */
export function formName(form: SealedForm): string {
  return MAGIC[form];
}

/** The seed of the checksums of a form under one key. A long value may be sealed in pieces with this seed. */
export function sealSeed(form: SealedForm, key: string): number {
  return crc32(`${MAGIC[form]} ${key}`);
}

/** Writes at `at` the checksum of the bytes after it, up to `end`. */
export function writeChecksum(seed: number, bytes: Buffer, at: number, end: number): void {
  bytes.writeUInt32BE(crc32(bytes.subarray(at + CHECKSUM_BYTES, end), seed), at);
}

/** Whether the checksum at `at` is that of the bytes after it, up to `end`. */
export function hasChecksum(seed: number, bytes: Buffer, at: number, end: number): boolean {
  return bytes.readUInt32BE(at) === crc32(bytes.subarray(at + CHECKSUM_BYTES, end), seed);
}

/** Seals a payload of `length` bytes for a key; `write` puts it into the sealed bytes, from `at` on. */
export function sealInPlace(
  form: SealedForm,
  key: string,
  length: number,
  write: (bytes: Buffer, at: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(SEAL_BYTES + length);
  bytes.write(MAGIC[form], 'latin1');
  write(bytes, SEAL_BYTES);
  writeChecksum(sealSeed(form, key), bytes, MAGIC_BYTES, bytes.length);
  return bytes;
}

/** Seals a payload for a key. */
export function seal(form: SealedForm, key: string, payload: Buffer): Buffer {
  return sealInPlace(form, key, payload.length, (bytes, at) => void payload.copy(bytes, at));
}

/** The payload; `undefined` where the bytes are damaged, or of another form, version or key. */
export function unseal(form: SealedForm, key: string, bytes: Buffer): Buffer | undefined {
  if (bytes.length < SEAL_BYTES || bytes.toString('latin1', 0, MAGIC_BYTES) !== MAGIC[form]) return undefined;
  return hasChecksum(sealSeed(form, key), bytes, MAGIC_BYTES, bytes.length)
    ? bytes.subarray(SEAL_BYTES)
    : undefined;
}

/** Seals a value as JSON. */
export function sealJson(form: SealedForm, key: string, value: unknown): Buffer {
  return seal(form, key, Buffer.from(JSON.stringify(value)));
}

/** The JSON value in sealed bytes; `undefined` where `unseal` has none, or its payload is no JSON. */
export function unsealJson(form: SealedForm, key: string, bytes: Buffer): unknown {
  const payload = unseal(form, key, bytes);
  return payload && readJsonText(payload.toString());
}

/** Parses a JSON text; `undefined` if it is invalid. */
export function readJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
