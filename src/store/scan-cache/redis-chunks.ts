// Writes and reads the long lists of a scan cache in Redis: its rows, and their positions in a sort order.

import type { Redis } from 'ioredis';
import { createYieldToLoop } from '../../kernel/yield-to-loop.ts';
import { openJsonEnvelope, toEnvelope } from '../redis/stored-bytes.ts';

/**
 * A long list in Redis is a hash whose fields are chunks. A chunk has eight members as JSON, in an envelope with a checksum.
 * Chunks are small, because a page of sorted rows needs one member from each of many chunks.
 */
const CHUNK_MEMBERS = 8;
/** The most bytes in one command that writes or reads a whole list; other commands must get through in between. */
export const BATCH_BYTES = 128 * 1024;

/** The key in the checksum of a chunk, so that a chunk is valid only in its list and at its place. */
const envelopeKey = (key: string, chunk: number) => `${key} ${chunk}`;

/** Writes a list of `count` members, in batches. `textOf` returns the JSON of a member. Rejects if Redis fails. */
export async function writeChunks(
  client: Redis,
  key: string,
  { count, textOf }: { readonly count: number; readonly textOf: (index: number) => string },
  ttlMs: number,
  signal: AbortSignal,
): Promise<void> {
  const yieldToLoop = createYieldToLoop(signal);
  const batch = new Map<string, Buffer>();
  let bytes = 0;
  for (let from = 0; from < count; from += CHUNK_MEMBERS) {
    const texts: string[] = [];
    for (let at = from; at < Math.min(from + CHUNK_MEMBERS, count); at += 1) texts.push(textOf(at));
    const chunk = from / CHUNK_MEMBERS;
    const envelope = toEnvelope('scanChunk', envelopeKey(key, chunk), `[${texts.join()}]`);
    batch.set(String(chunk), envelope);
    bytes += envelope.length;
    await yieldToLoop();
    if (bytes < BATCH_BYTES && from + CHUNK_MEMBERS < count) continue;
    // The time to live is set with each batch: if the list has expired, `hset` begins a new one, which must expire, too.
    await Promise.all([client.hset(key, batch), client.pexpire(key, ttlMs)]);
    signal.throwIfAborted();
    batch.clear();
    bytes = 0;
  }
}

/** Reads the members at some indexes; `undefined` if a chunk that they need is missing or damaged. */
export async function readChunks(
  client: Redis,
  key: string,
  indexes: readonly number[],
): Promise<readonly unknown[] | undefined> {
  const chunkOf = (index: number) => Math.floor(index / CHUNK_MEMBERS);
  const chunks = [...new Set(indexes.map(chunkOf))];
  if (chunks.length === 0) return [];
  const found = await client.hmgetBuffer(key, ...chunks.map(String));
  const members = new Map<number, readonly unknown[]>();
  for (const [at, chunk] of chunks.entries()) {
    const bytes = found[at] ?? undefined;
    const values = bytes && openJsonEnvelope('scanChunk', envelopeKey(key, chunk), bytes);
    if (!Array.isArray(values)) return undefined;
    members.set(chunk, values);
  }
  const all = indexes.map((index) => members.get(chunkOf(index))?.[index % CHUNK_MEMBERS]);
  return all.includes(undefined) ? undefined : all;
}
