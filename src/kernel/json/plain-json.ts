// Reads the reply of a source with `JSON.parse`, in a third of the time of `readJson`, if both certainly give the same value.

import { DEPTH_MAX, DIGITS_MAX, type Json } from './json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte <= 0x39;

/**
 * Counts the entries of all objects in a document; `undefined` if a float would round a number, the nesting is too deep,
 * or a key has an escape: `JSON.parse` of V8 13.6 reads the key `a"` as `a\\` if an earlier object had the key `a\\`.
 * The count is meaningless for an invalid document.
 */
function countEntries(bytes: Uint8Array): number | undefined {
  const { length } = bytes;
  let entries = 0;
  let depth = 0;
  let isEscaped = false;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      isEscaped = false;
      for (at += 1; at < length && bytes[at] !== QUOTE; at += 1)
        if (bytes[at] === BACKSLASH) {
          isEscaped = true;
          at += 1;
        }
    } else if (byte === 0x3a) {
      if (isEscaped) return undefined;
      entries += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > DEPTH_MAX) return undefined;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    } else if (isDigit(byte)) {
      const start = at;
      while (isDigit(bytes[at + 1])) at += 1;
      const next = bytes[at + 1];
      if (at - start >= DIGITS_MAX || next === 0x2e || next === 0x65 || next === 0x45) return undefined;
      if (byte === ZERO && bytes[start - 1] === 0x2d) return undefined;
    }
  }
  return entries;
}

/** Counts the entries of all objects in a parsed value. */
function entriesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += entriesOf(item);
    return count;
  }
  for (const key in value) count += 1 + entriesOf((value as Record<string, unknown>)[key]);
  return count;
}

/**
 * Reads a document whose numbers all fit a float. The value is that of `readJson`, except that objects have a prototype, so look
 * up own keys only. `undefined` means: use `readJson`. `bytes` is the document in UTF-8, and `text` the same as a text, which may
 * lack the byte order mark.
 */
export function readPlainJson(bytes: Uint8Array, text: string): Json | undefined {
  const entries = countEntries(bytes);
  if (entries === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    // A duplicate key leaves fewer entries than colons.
    return entriesOf(value) === entries ? value : undefined;
  } catch {
    return undefined;
  }
}
