// Hashes a caller, record or request into the bucket that decides whether a share of the ramp reaches it.

import { hash } from 'node:crypto';

const UINT32 = 2 ** 32;

/** What a bucket depends on besides the key: with another salt or resource, the same key gets another bucket. */
type BucketScope = { readonly salt: string; readonly resource: string };

/**
 * The bucket of a key, from 0 to 2^32 - 1: the first four bytes of a SHA-256. With so many buckets, a share is exact to 0.01 %,
 * and no caller has an advantage from rounding.
 */
function bucketOf({ salt, resource }: BucketScope, key: string): number {
  return hash('sha256', `${salt}:${resource}:${key}`, 'buffer').readUInt32BE(0);
}

/** The number of buckets that a share reaches, from 0 on. A larger share only adds buckets. */
export function bucketsBelow(percent: number): number {
  return Math.round((percent / 100) * UINT32);
}

/** The least share (in percent, in steps of 0.01) that reaches a bucket; `undefined` if no share does. */
export function shareReaching(bucket: number): number | undefined {
  if (bucket >= UINT32) return undefined;
  const step = Math.floor((bucket / UINT32) * 10_000) + 1;
  return (bucket < bucketsBelow(step / 100) ? step : step + 1) / 100;
}

/** The bucket of calls that no share reaches, such as lists if `bucketBy` is `record`. */
export const NO_BUCKET = UINT32;

/** The first bucket of the step of 0.01 % to which a bucket belongs. Each share reaches both of these buckets or none. */
export function stepOfBucket(bucket: number): number {
  return bucketsBelow(Math.floor((bucket / UINT32) * 10_000) / 100);
}

/** The most keys whose bucket is remembered. When there are more, all are forgotten. */
const KNOWN_MAX = 10_000;

/** Creates the function that finds the bucket of a key. It remembers buckets, because a hash takes microseconds. */
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
