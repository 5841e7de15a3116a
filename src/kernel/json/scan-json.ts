// Skips the values of a JSON document byte by byte and four bytes at once, without building them. `Projection` is built on it.

import { DIGITS_MAX } from './json.ts';
import type { PackedBytes } from './learned-keys.ts';

/** The first of the kinds of values that a slot can have: the document has no such value. */
export const ABSENT = 0;
/** The word `null`. */
export const NULL = 1;
/** A text of printable ASCII without escapes. */
export const ASCII = 2;
/** A text without escapes that has, or may have, other characters than printable ASCII. */
export const PLAIN = 3;
/** A whole number of at most 15 digits, other than -0. */
export const WHOLE = 4;
/** A number with a point, without a minus and without an exponent. */
export const FRACTION = 5;
/** Any other value, such as a text with escapes: `readJson` reads it. */
export const OTHER = 6;

/** Returned in place of an offset if a value breaks the grammar, or is left to `readJson`. */
export const REFUSED = -1;

/** The longest document that is read here, in bytes. */
export const BYTES_MAX = 128 * 1024;

/**
 * The document that is being read. It is copied to one place, because V8's compiler knows the address and the length of a
 * constant array, and reads four bytes at once from a view of it. A byte that ends every value follows the document.
 */
const BUFFER = Buffer.from(new ArrayBuffer(BYTES_MAX + 64));
const BYTES = new Uint8Array(BUFFER.buffer);
const WORDS = new DataView(BUFFER.buffer);

/** The bytes of the document that was read last, to copy from it by the offsets in slots. */
export const DOCUMENT: ArrayBuffer = BUFFER.buffer;

/** Skips white space; returns the offset behind it. */
export function skipSpace(start: number): number {
  let at = start;
  for (
    let byte = BYTES[at];
    byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
    byte = BYTES[at]
  )
    at += 1;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function skipDigits(start: number): number {
  let at = start;
  while (isDigit(BYTES[at])) at += 1;
  return at;
}

/**
 * Whether the document has these bytes at an offset, and the value directly behind them. White space would belong to another key.
 */
export function isAt(at: number, { words, mask, whole, length }: PackedBytes): boolean {
  let from = at;
  let index = 0;
  for (; index < whole; index += 1) {
    if (WORDS.getInt32(from, true) !== words[index]) return false;
    from += 4;
  }
  if (((WORDS.getInt32(from, true) ^ (words[index] as number)) & mask) !== 0) return false;
  return (BYTES[at + length] as number) > 0x20;
}

/** Skips an escape; `at` is the offset behind its backslash. */
function skipEscape(at: number): number {
  switch (BYTES[at]) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return at + 1;
    case 0x75:
      for (let digit = at + 1; digit < at + 5; digit += 1) {
        const byte = BYTES[digit] as number;
        const letter = byte | 0x20;
        if (!isDigit(byte) && !(letter >= 0x61 && letter <= 0x66)) return REFUSED;
      }
      return at + 5;
    default:
      return REFUSED;
  }
}

/** The kind of the value that was skipped last. */
export const skipped = { kind: ABSENT };

/**
 * Skips a text, four bytes at once; returns the offset behind it, or `REFUSED`. A byte is below n if its highest bit is not set,
 * but is set after n is subtracted. That is certain only for the lowest such byte. See Bit Twiddling Hacks, "Determine if a word
 * has a byte less than n".
 */
export function skipText(start: number): number {
  let at = start + 1;
  let isEscaped = false;
  let others = 0;
  for (;;) {
    const word = WORDS.getInt32(at, true);
    const quotes = word ^ 0x22222222;
    const backslashes = word ^ 0x5c5c5c5c;
    const stops =
      (((word - 0x20202020) & ~word) |
        ((quotes - 0x01010101) & ~quotes) |
        ((backslashes - 0x01010101) & ~backslashes)) &
      0x80808080;
    others |= word | (word + 0x01010101);
    if (stops === 0) {
      at += 4;
      continue;
    }
    at += (31 - Math.clz32(stops & -stops)) >> 3;
    const byte = BYTES[at];
    if (byte === 0x22) break;
    if (byte !== 0x5c) return REFUSED;
    isEscaped = true;
    at = skipEscape(at + 1);
    if (at === REFUSED) return REFUSED;
  }
  skipped.kind = isEscaped ? OTHER : (others & 0x80808080) === 0 ? ASCII : PLAIN;
  return at + 1;
}

/** Skips a number; returns the offset behind it, or `REFUSED`. */
export function skipNumber(start: number): number {
  const isNegative = BYTES[start] === 0x2d;
  const first = isNegative ? start + 1 : start;
  let end = skipDigits(first);
  const isZero = BYTES[first] === 0x30;
  if (end === first || (isZero && end > first + 1)) return REFUSED;
  skipped.kind = end - first <= DIGITS_MAX && !(isNegative && isZero) ? WHOLE : OTHER;
  if (BYTES[end] === 0x2e) {
    const point = end;
    end = skipDigits(point + 1);
    if (end === point + 1) return REFUSED;
    skipped.kind = isNegative ? OTHER : FRACTION;
  }
  if (BYTES[end] === 0x65 || BYTES[end] === 0x45) {
    const sign = BYTES[end + 1] === 0x2b || BYTES[end + 1] === 0x2d ? end + 2 : end + 1;
    end = skipDigits(sign);
    if (end === sign) return REFUSED;
    skipped.kind = OTHER;
  }
  return end;
}

/**
 * `null`, `true` and the last four letters of `false`, as numbers of four bytes, so that a word is compared in one step. The
 * caller has seen the `f` already.
 */
export const [NULL_WORD, TRUE_WORD, FALSE_TAIL] = [0x6c6c756e, 0x65757274, 0x65736c61];

/** Skips a word of four letters; returns the offset behind it, or `REFUSED`. `wordKind` becomes the kind of the value. */
export function skipWord(at: number, word: number, wordKind: number): number {
  skipped.kind = wordKind;
  return WORDS.getInt32(at, true) === word ? at + 4 : REFUSED;
}
