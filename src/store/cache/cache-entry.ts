import { crc32 } from 'node:zlib';
import type { EncodedBodies } from './content-encodings.ts';

/** A finished answer as it is kept: a v1 body, or the knowledge that there is no such record. */
export type CacheEntry = {
  readonly found: boolean;
  /** JSON bytes; empty where the record does not exist. */
  readonly body: Buffer;
  /** Strong and quoted; empty where the record does not exist. */
  readonly etag: string;
  /** When the data was read from the source, milliseconds since the epoch. */
  readonly storedAt: number;
  /** How long it was promised to be fresh: what clients are told. */
  readonly freshSeconds: number;
  /** How long it is served as fresh: a little less than promised, so that not all entries end at once. */
  readonly freshMs: number;
  /** How long it is kept after that. */
  readonly staleMs: number;
  /** What it is about, such as `users` and `user:42`: what is purged by any of them. */
  readonly tags: readonly string[];
  /** What had been purged when its data was read. */
  readonly generation: Generation;
  /** What there is of the body in codings, where this process keeps the entry and the body is worth it. */
  readonly encodings?: EncodedBodies | undefined;
};

/** A place in the order of purges: whose order, and how many came before. */
export type Generation = { readonly epoch: string; readonly purges: number };

const MAGIC = Buffer.from('PTC2');
const PREFIX = MAGIC.length + 4 + 4;

/**
 * The bytes of an entry: magic and version, checksum, length of the head, head (JSON), body. The checksum starts from
 * the entry's key, so that the value of another key is as foreign as a damaged one.
 */
export function encodeEntry(key: string, entry: CacheEntry): Buffer {
  const head = Buffer.from(
    JSON.stringify([
      entry.found ? 1 : 0,
      entry.etag,
      [entry.storedAt, entry.freshSeconds, entry.freshMs, entry.staleMs],
      [entry.generation.epoch, entry.generation.purges],
      entry.tags,
    ]),
  );
  const bytes = Buffer.allocUnsafe(PREFIX + head.length + entry.body.length);
  MAGIC.copy(bytes);
  bytes.writeUInt32BE(head.length, MAGIC.length + 4);
  head.copy(bytes, PREFIX);
  entry.body.copy(bytes, PREFIX + head.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(MAGIC.length + 4), crc32(key)), MAGIC.length);
  return bytes;
}

function isHead(value: unknown): value is Head {
  if (!Array.isArray(value)) return false;
  const [found, etag, times, generation, tags] = value as unknown[];
  return (
    (found === 0 || found === 1) &&
    typeof etag === 'string' &&
    isListOf(times, 4, Number.isFinite) &&
    Array.isArray(generation) &&
    typeof generation[0] === 'string' &&
    Number.isSafeInteger(generation[1]) &&
    isListOf(tags, undefined, (tag) => typeof tag === 'string')
  );
}

type Head = readonly [
  found: 0 | 1,
  etag: string,
  times: readonly [number, number, number, number],
  generation: readonly [string, number],
  tags: readonly string[],
];

function isListOf(value: unknown, length: number | undefined, fits: (member: unknown) => boolean): boolean {
  return Array.isArray(value) && (length === undefined || value.length === length) && value.every(fits);
}

function readHead(text: string): Omit<CacheEntry, 'body' | 'encodings'> | undefined {
  const head = JSON.parse(text) as unknown;
  if (!isHead(head)) return undefined;
  const [found, etag, [storedAt, freshSeconds, freshMs, staleMs], [epoch, purges], tags] = head;
  const generation = { epoch, purges };
  return { found: found === 1, etag, storedAt, freshSeconds, freshMs, staleMs, tags, generation };
}

/** The entry in some bytes; `undefined` where they are damaged, of another key or of another version. */
export function decodeEntry(key: string, bytes: Buffer): CacheEntry | undefined {
  if (bytes.length < PREFIX || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.readUInt32BE(MAGIC.length) !== crc32(bytes.subarray(MAGIC.length + 4), crc32(key)))
    return undefined;
  const headEnd = PREFIX + bytes.readUInt32BE(MAGIC.length + 4);
  if (headEnd > bytes.length) return undefined;
  try {
    const head = readHead(bytes.toString('utf8', PREFIX, headEnd));
    return head === undefined ? undefined : { ...head, body: bytes.subarray(headEnd) };
  } catch {
    return undefined;
  }
}
