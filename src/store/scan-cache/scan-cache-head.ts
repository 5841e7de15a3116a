import * as z from 'zod';
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

/** The name, when the scan began, the rows and the bytes. */
const headValues = z.tuple([z.string().regex(/^[\w-]{1,64}$/), z.number(), z.int(), z.int()]);

/** Writes a head into an envelope for a Redis key. */
export function encodeHead(key: string, { name, storedAt, count, bytes }: ScanCacheHead): Buffer {
  return toEnvelope('scanCache', key, JSON.stringify([name, storedAt, count, bytes]));
}

/** Reads the bytes of `encodeHead`; `undefined` if they are damaged, or of another key or version. */
export function decodeHead(key: string, envelope: Buffer): ScanCacheHead | undefined {
  const { data } = headValues.safeParse(openJsonEnvelope('scanCache', key, envelope));
  if (data === undefined) return undefined;
  const [name, storedAt, count, bytes] = data;
  return { name, storedAt, count, bytes };
}
