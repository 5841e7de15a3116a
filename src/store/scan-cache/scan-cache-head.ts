import { openJsonEnvelope, toEnvelope } from '../redis/stored-bytes.ts';

/** The description of a scan cache in Redis without its rows, so that a process need not read them all. */
export type ScanCacheHead = {
  /** Random; part of the Redis keys of everything that belongs to the scan cache. */
  readonly name: string;
  /** When its scan began, in milliseconds since the epoch. */
  readonly storedAt: number;
  /** The number of rows. */
  readonly count: number;
  readonly bytes: number;
};

const NAME = /^[\w-]{1,64}$/;

/** Writes a head into an envelope for a Redis key. */
export function encodeHead(key: string, { name, storedAt, count, bytes }: ScanCacheHead): Buffer {
  return toEnvelope('scanCache', key, JSON.stringify([name, storedAt, count, bytes]));
}

/** Reads the bytes of `encodeHead`; `undefined` if they are damaged, or of another key or version. */
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
