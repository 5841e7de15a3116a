// Hashes a caller, record or request into the bucket that decides whether a share of the ramp reaches it.

import { hash } from 'node:crypto';

const UINT32 = 2 ** 32;

/** What a bucket is made of: another salt or resource puts the same key elsewhere. */
type BucketScope = { readonly salt: string; readonly resource: string };

/**
 * The bucket of a key, 0 to 2^32 - 1: the first four bytes of SHA-256. All of them count, so that a share is met to
 * 0.01 % and no remainder favours anybody.
 */
function bucketOf({ salt, resource }: BucketScope, key: string): number {
  return hash('sha256', `${salt}:${resource}:${key}`, 'buffer').readUInt32BE(0);
}

/** The bucket from which on a share does not reach any more. A larger share only adds buckets. */
export function bucketsBelow(percent: number): number {
  return Math.round((percent / 100) * UINT32);
}

/** The bucket of calls that no share reaches, such as lists where records have the buckets. */
export const NO_BUCKET = UINT32;

/** The first bucket of the same step of 0.01 %: no share tells the two apart. */
export function stepOfBucket(bucket: number): number {
  return bucketsBelow(Math.floor((bucket / UINT32) * 10_000) / 100);
}

/** The most keys whose bucket is remembered; then it starts anew. */
const KNOWN_MAX = 10_000;

/** Makes what finds the buckets of one scope. It remembers the keys that come again: hashing one takes microseconds. */
export function createBuckets(scope: BucketScope): (key: string) => number {
  const known = new Map<string, number>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const bucket = bucketOf(scope, key);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(key, bucket);
    return bucket;
  };
}
