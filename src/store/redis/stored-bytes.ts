// Marks bytes that Portico stores in Redis with a version and a checksum, so that foreign or damaged bytes are never used.

import { crc32 } from 'node:zlib';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';

/**
 * The first bytes of each envelope (magic, checksum, payload), which say what it holds. The magic ends with a version. The checksum includes the magic and the key, so a value of another key or version is rejected like a damaged value.
 * Raise the version whenever the format of a payload changes; older values then count as absent.
 */
const MAGIC = {
  cacheEntry: 'PTC4',
  checkpoint: 'PTK2',
  scanCache: 'PTS3',
  scanChunk: 'PTR3',
} as const;

/** What an envelope holds. Each kind has its own version, so the format of one can change without a loss of the others. */
export type EnvelopeKind = keyof typeof MAGIC;

/** Bytes before the payload: the magic, and the checksum (CRC-32, big-endian), 4 bytes each. */
const HEAD_BYTES = 8;
const MAGIC_BYTES = 4;

/** The name of a kind with its version. Put it into a Redis key to keep versions apart. */
export function versionedName(kind: EnvelopeKind): string {
  return MAGIC[kind];
}

function checksumOf(kind: EnvelopeKind, key: string, envelope: Buffer): number {
  return crc32(envelope.subarray(HEAD_BYTES), crc32(`${MAGIC[kind]} ${key}`));
}

/** Makes the envelope of a payload of `length` bytes for a key; `write` puts the payload into the bytes, from `at` on. */
export function writeEnvelope(
  kind: EnvelopeKind,
  key: string,
  length: number,
  write: (bytes: Buffer, at: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + length);
  bytes.write(MAGIC[kind], 'latin1');
  write(bytes, HEAD_BYTES);
  bytes.writeUInt32BE(checksumOf(kind, key, bytes), MAGIC_BYTES);
  return bytes;
}

/** Makes the envelope of a text for a key. */
export function toEnvelope(kind: EnvelopeKind, key: string, text: string): Buffer {
  return writeEnvelope(kind, key, Buffer.byteLength(text), (bytes, at) => void bytes.write(text, at));
}

/** The payload of an envelope; `undefined` if the bytes are damaged, or of another kind, version or key. */
export function openEnvelope(kind: EnvelopeKind, key: string, bytes: Buffer): Buffer | undefined {
  if (bytes.length < HEAD_BYTES || bytes.toString('latin1', 0, MAGIC_BYTES) !== MAGIC[kind]) return undefined;
  return bytes.readUInt32BE(MAGIC_BYTES) === checksumOf(kind, key, bytes)
    ? bytes.subarray(HEAD_BYTES)
    : undefined;
}

/** The JSON value in an envelope; `undefined` if `openEnvelope` returns no payload, or the payload is no JSON. */
export function openJsonEnvelope(kind: EnvelopeKind, key: string, bytes: Buffer): unknown {
  const payload = openEnvelope(kind, key, bytes);
  return payload && tryParseJson(payload.toString());
}
