// The stored form of an API key, and how it is written to and read from Redis.

import * as z from 'zod';
import { addressRange } from '../config/schema/elements/scalars.ts';
import { tryParseJson } from '../kernel/json/try-parse-json.ts';

const VERSION = 1;
/** The version of a record with addresses or operations, so that an older gateway, which would ignore these, rejects the key. */
const RESTRICTED_VERSION = 2;

/** Milliseconds since the epoch, up to the last instant that a Date can hold (ECMA-262, section 21.4.1.1). */
const time = z.int().min(0).max(8.64e15);
const texts = z.array(z.string()).readonly();

/** An accepted hash of a key; a rotated key has several for a while. */
const keyHash = z.object({
  /** HMAC-SHA-256 of the whole key with the pepper, base64url. */
  hash: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** Absent for the current secret. */
  validUntil: time.exactOptional(),
});

const keyRecord = z.object({
  id: z.string(),
  label: z.string(),
  permissions: texts,
  tier: z.string(),
  createdAt: time,
  expiresAt: time.exactOptional(),
  revokedAt: time.exactOptional(),
  /** Addresses and CIDR ranges that the key may be used from; absent: from anywhere. */
  addresses: z.array(addressRange).readonly().exactOptional(),
  /** The operations that the key may use, such as `users.list`; absent: all. */
  operations: texts.exactOptional(),
  /** The current hash comes first. */
  hashes: z.array(keyHash.readonly()).min(1).readonly(),
});

/** The stored data of an API key. It has only hashes of the key, not the key. Times are ms since the epoch. */
export type KeyRecord = Readonly<z.infer<typeof keyRecord>>;

function versionOf({ addresses, operations }: Pick<KeyRecord, 'addresses' | 'operations'>): number {
  return addresses === undefined && operations === undefined ? VERSION : RESTRICTED_VERSION;
}

/** Serialises a record for Redis. */
export function writeKeyRecord(record: KeyRecord): string {
  return JSON.stringify({ version: versionOf(record), ...record });
}

/** Parses the record of key `id`; `undefined` if the text is not a complete record of that key. */
export function readKeyRecord(id: string, text: string): KeyRecord | undefined {
  const value = tryParseJson(text);
  const { data } = keyRecord.safeParse(value);
  const { version } = Object(value) as { readonly version?: unknown };
  return data?.id === id && version === versionOf(data) ? data : undefined;
}
