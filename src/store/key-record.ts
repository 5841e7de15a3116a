// The stored form of an API key, and how it is written to and read from Redis.

import { isAddressRange } from '../config/schema/elements/scalars.ts';

/** An accepted hash of a key; a rotated key has several for a while. */
export type KeyHash = {
  /** HMAC-SHA-256 of the whole key with the pepper, base64url. */
  readonly hash: string;
  /** Milliseconds since the epoch; absent for the current secret. */
  readonly validUntil?: number;
};

/** The stored data of an API key. It has only hashes of the key, not the key. Times are ms since the epoch. */
export type KeyRecord = {
  readonly id: string;
  readonly label: string;
  readonly permissions: readonly string[];
  readonly tier: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** Addresses and CIDR ranges that the key may be used from; absent: from anywhere. */
  readonly addresses?: readonly string[];
  /** The operations that the key may use, such as `users.list`; absent: all. */
  readonly operations?: readonly string[];
  /** The current hash comes first. */
  readonly hashes: readonly KeyHash[];
};

const VERSION = 1;
/** The version of a record with addresses or operations, so that an older gateway, which would ignore these, rejects the key. */
const RESTRICTED_VERSION = 2;

/** The last instant that a Date can hold (ECMA-262, section 21.4.1.1). */
const TIME_MAX = 8.64e15;

function versionOf({ addresses, operations }: Pick<KeyRecord, 'addresses' | 'operations'>): number {
  return addresses === undefined && operations === undefined ? VERSION : RESTRICTED_VERSION;
}

/** Serialises a record for Redis. */
export function writeKeyRecord(record: KeyRecord): string {
  return JSON.stringify({ version: versionOf(record), ...record });
}

/** Parses the record of key `id`; `undefined` if the text is not a complete record of that key. */
export function readKeyRecord(id: string, text: string): KeyRecord | undefined {
  const value = parseObject(text);
  if (value === undefined || value['id'] !== id) return undefined;
  const { addresses, operations } = value;
  if (!isOptionalTexts(addresses) || !isOptionalTexts(operations)) return undefined;
  if (addresses?.every(isAddressRange) === false) return undefined;
  if (value['version'] !== versionOf({ addresses, operations } as KeyRecord)) return undefined;
  const { label, permissions, tier, createdAt, expiresAt, revokedAt, hashes } = value;
  if (typeof label !== 'string' || typeof tier !== 'string' || !isTime(createdAt)) return undefined;
  if (!isOptionalTime(expiresAt) || !isOptionalTime(revokedAt)) return undefined;
  if (!isListOf(permissions, isText) || !isListOf(hashes, isKeyHash) || hashes.length === 0) return undefined;
  return {
    id,
    label,
    permissions,
    tier,
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
    ...(addresses === undefined ? {} : { addresses }),
    ...(operations === undefined ? {} : { operations }),
    hashes,
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= TIME_MAX;
}

function isOptionalTime(value: unknown): value is number | undefined {
  return value === undefined || isTime(value);
}

function isOptionalTexts(value: unknown): value is readonly string[] | undefined {
  return value === undefined || isListOf(value, isText);
}

function isListOf<T>(value: unknown, isMember: (member: unknown) => member is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isMember);
}

function isKeyHash(value: unknown): value is KeyHash {
  if (!isObject(value)) return false;
  const { hash, validUntil } = value;
  return isText(hash) && /^[A-Za-z0-9_-]{43}$/.test(hash) && isOptionalTime(validUntil);
}
