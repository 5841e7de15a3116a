import { openJsonEnvelope, toEnvelope } from '../redis/stored-bytes.ts';

/** The description of a scan cache, without its rows. */
export type ScanCacheHead = {
  /** Random; part of the Redis keys of everything that belongs to the scan cache. */
  readonly name: string;
  /** When its scan began, milliseconds since the epoch. */
  readonly storedAt: number;
  readonly count: number;
  readonly bytes: number;
};

const NAME = /^[\w-]{1,64}$/;

/** The bytes of a head, in an envelope for a key. */
export function encodeHead(key: string, { name, storedAt, count, bytes }: ScanCacheHead): Buffer {
  return toEnvelope('scanCache', key, JSON.stringify([name, storedAt, count, bytes]));
}

/** The head in some bytes; `undefined` if they are damaged, or of another key or version. */
export function decodeHead(key: string, envelope: Buffer): ScanCacheHead | undefined {
  const values = openJsonEnvelope('scanCache', key, envelope);
  if (!Array.isArray(values)) return undefined;
  const [name, ...numbers] = values as unknown[];
  const [storedAt, count, bytes] = numbers as [number, number, number];
  const isValid =
    typeof name === 'string' &&
    NAME.test(name) &&
    Number.isFinite(storedAt) &&
    Number.isSafeInteger(count) &&
    Number.isSafeInteger(bytes);
  return isValid ? { name, storedAt, count, bytes } : undefined;
}
