// A cached answer, and the bytes as which Redis keeps it.

import { openEnvelope, writeEnvelope } from '../redis/stored-bytes.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import type { EncodedBodies } from './encoded-bodies.ts';

/** A cached answer: a v1 body, or the knowledge that the record does not exist. */
export type CacheEntry = {
  readonly found: boolean;
  /** JSON bytes; empty if the record does not exist. */
  readonly body: Buffer;
  /** A strong ETag in quotes; empty if the record does not exist. */
  readonly etag: string;
  /** When the data was read from the source, milliseconds since the epoch. */
  readonly storedAt: number;
  /** How long the answer is fresh, as sent to clients. */
  readonly freshSeconds: number;
  /** How long it is served as fresh: a little less than promised, so that entries do not all expire together. */
  readonly freshMs: number;
  /** How long it may be served stale after that. */
  readonly staleMs: number;
  /** Purge tags, such as `users users:42`. They are one text, because fifty texts need as much memory as a quarter of the body. */
  readonly tags: string;
  /** The purges that had happened when the data was read. A later purge of one of the tags makes the entry unusable. */
  readonly purgePosition: PurgePosition;
  /** The compressed forms of the body, if this process keeps the entry and the body is worth compressing. */
  readonly encodings?: EncodedBodies | undefined;
};

/** A position in the sequence of purges: `epoch` names the sequence, and `purges` says how many purges came before. */
export type PurgePosition = { readonly epoch: string; readonly purges: number };

/** Joins tags to one text; no tag has a space. */
export function tagText(tags: readonly string[]): string {
  return tags.join(' ');
}

/** Splits a text of `tagText` into its tags. */
export function tagList(tags: string): readonly string[] {
  return tags === '' ? [] : tags.split(' ');
}

type Head = readonly [
  found: 0 | 1,
  etag: string,
  times: readonly [number, number, number, number],
  purgePosition: readonly [string, number],
  tags: string,
];

/** Writes an entry into an envelope, for Redis: the length of its head (32 bits), the head as JSON, the body. */
export function encodeEntry(key: string, entry: CacheEntry): Buffer {
  const { found, etag, body, tags } = entry;
  const { epoch, purges } = entry.purgePosition;
  const times = [entry.storedAt, entry.freshSeconds, entry.freshMs, entry.staleMs];
  const head = JSON.stringify([found ? 1 : 0, etag, times, [epoch, purges], tags]);
  const headBytes = Buffer.byteLength(head);
  return writeEnvelope('cacheEntry', key, 4 + headBytes + body.length, (bytes, at) => {
    bytes.writeUInt32BE(headBytes, at);
    bytes.write(head, at + 4);
    body.copy(bytes, at + 4 + headBytes);
  });
}

function isHead(value: unknown): value is Head {
  if (!Array.isArray(value)) return false;
  const [found, etag, times, purgePosition, tags] = value as unknown[];
  return (
    (found === 0 || found === 1) &&
    typeof etag === 'string' &&
    Array.isArray(times) &&
    times.length === 4 &&
    times.every(Number.isFinite) &&
    Array.isArray(purgePosition) &&
    typeof purgePosition[0] === 'string' &&
    Number.isSafeInteger(purgePosition[1]) &&
    typeof tags === 'string'
  );
}

/** Reads the bytes of `encodeEntry`; `undefined` if they are damaged, or of another key or version. */
export function decodeEntry(key: string, bytes: Buffer): CacheEntry | undefined {
  const payload = openEnvelope('cacheEntry', key, bytes);
  if (payload === undefined || payload.length < 4) return undefined;
  const headEnd = 4 + payload.readUInt32BE(0);
  if (headEnd > payload.length) return undefined;
  const head = tryParseJson(payload.toString('utf8', 4, headEnd));
  if (!isHead(head)) return undefined;
  const [found, etag, [storedAt, freshSeconds, freshMs, staleMs], [epoch, purges], tags] = head;
  const times = { storedAt, freshSeconds, freshMs, staleMs };
  const body = payload.subarray(headEnd);
  return { found: found === 1, etag, ...times, purgePosition: { epoch, purges }, tags, body };
}
