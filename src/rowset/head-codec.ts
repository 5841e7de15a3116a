import { crc32 } from 'node:zlib';

/** What is known of a row set without its rows. */
export type RowSetHead = {
  /** Random; part of the keys of everything that belongs to it. */
  readonly name: string;
  /** When its scan began, milliseconds since the epoch. */
  readonly storedAt: number;
  readonly count: number;
  readonly bytes: number;
};

const MAGIC = Buffer.from('PTS1');
const PREFIX = MAGIC.length + 4;
const NAME = /^[\w-]{1,64}$/;

/** The bytes of a head: magic and version, a checksum that starts from its key, and the values as JSON. */
export function encodeHead(key: string, { name, storedAt, count, bytes }: RowSetHead): Buffer {
  const content = Buffer.from(JSON.stringify([name, storedAt, count, bytes]));
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content, crc32(key)));
  return Buffer.concat([MAGIC, sum, content]);
}

function readValues(text: string): RowSetHead | undefined {
  const values = JSON.parse(text) as unknown;
  if (!Array.isArray(values)) return undefined;
  const [name, storedAt, count, bytes] = values as unknown[];
  const sound =
    typeof name === 'string' &&
    NAME.test(name) &&
    Number.isFinite(storedAt) &&
    Number.isSafeInteger(count) &&
    Number.isSafeInteger(bytes);
  return sound
    ? { name, storedAt: storedAt as number, count: count as number, bytes: bytes as number }
    : undefined;
}

/** The head in some bytes; `undefined` where they are damaged, of another key or of another version. */
export function decodeHead(key: string, bytes: Buffer): RowSetHead | undefined {
  if (bytes.length < PREFIX || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const content = bytes.subarray(PREFIX);
  if (bytes.readUInt32BE(MAGIC.length) !== crc32(content, crc32(key))) return undefined;
  try {
    return readValues(content.toString());
  } catch {
    return undefined;
  }
}
