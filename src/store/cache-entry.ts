import { crc32 } from 'node:zlib';

/** A finished answer as it is kept: a v1 body, or the knowledge that there is no such record. */
export type CacheEntry = {
  readonly found: boolean;
  /** JSON bytes; empty where the record does not exist. */
  readonly body: Buffer;
  /** Strong and quoted; empty where the record does not exist. */
  readonly etag: string;
  /** When the data was read from the source, milliseconds since the epoch. */
  readonly storedAt: number;
  readonly freshSeconds: number;
};

const MAGIC = Buffer.from('PTC1');
const PREFIX = MAGIC.length + 4 + 4;

/**
 * The bytes of an entry: magic and version, checksum, length of the head, head (JSON), body. The checksum starts from
 * the entry's key, so that the value of another key is as foreign as a damaged one.
 */
export function encodeEntry(key: string, entry: CacheEntry): Buffer {
  const head = Buffer.from(
    JSON.stringify([entry.found ? 1 : 0, entry.etag, entry.storedAt, entry.freshSeconds]),
  );
  const bytes = Buffer.alloc(PREFIX + head.length + entry.body.length);
  MAGIC.copy(bytes);
  bytes.writeUInt32BE(head.length, MAGIC.length + 4);
  head.copy(bytes, PREFIX);
  entry.body.copy(bytes, PREFIX + head.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(MAGIC.length + 4), crc32(key)), MAGIC.length);
  return bytes;
}

function readHead(text: string): Omit<CacheEntry, 'body'> | undefined {
  const head = JSON.parse(text) as unknown;
  if (!Array.isArray(head)) return undefined;
  const [found, etag, storedAt, freshSeconds] = head as unknown[];
  const sound =
    (found === 0 || found === 1) &&
    typeof etag === 'string' &&
    Number.isFinite(storedAt) &&
    Number.isFinite(freshSeconds);
  return sound
    ? { found: found === 1, etag, storedAt: storedAt as number, freshSeconds: freshSeconds as number }
    : undefined;
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
