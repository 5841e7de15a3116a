// The buffer into which the byte sink (byte-sink.ts) writes the rows of an answer and their cache tags. Most of the bytes are
// copied from the reply that is read now, which is in DOCUMENT, so that no JavaScript value is created for them.

import { packBytes, type PackedBytes } from '../../../kernel/json/learned-keys.ts';
import { DOCUMENT } from '../../../kernel/json/scan-json.ts';
import type { CurrentRow } from './list-program.ts';

/** Up to this length a loop copies faster than a call of Node. */
const LOOP_BYTES_MAX = 512;
/** Bytes are written four at a time, so some bytes behind the last one are overwritten. This many bytes are kept free. */
const SPARE_BYTES = 8;
/** The sizes of both buffers in bytes: records, and behind them the cache tags of records. */
const SIZES = { records: 512 * 1024, tags: 256 * 1024 };

/** An instant whose digits are filled in. */
const EMPTY_INSTANT = packBytes(Buffer.from('"0000-00-00T00:00:00Z"'));

/** The memory of both buffers. It is one constant of the module, as DOCUMENT is, because that is fastest. */
const BUFFER = Buffer.from(new ArrayBuffer(SIZES.records + SIZES.tags));
const WORDS = new DataView(BUFFER.buffer);
const SOURCE = Buffer.from(DOCUMENT);
const SOURCE_WORDS = new DataView(DOCUMENT);
const ZERO = 0x30;

/** The whole number in the bytes of the document from `start` to `end`; NaN if one of them is no digit. */
export function numberIn(start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (SOURCE[at] as number) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** An append-only buffer of fixed size. If something does not fit, `isFull` becomes true, and the content is unusable. */
export class OutputBuffer {
  /** Where the next byte is written. */
  at: number;
  isFull = false;
  private readonly start: number;
  private readonly max: number;

  constructor(name: keyof typeof SIZES) {
    this.start = name === 'records' ? 0 : SIZES.records;
    this.max = this.start + SIZES[name] - SPARE_BYTES;
    this.at = this.start;
  }

  clear(): void {
    this.at = this.start;
    this.isFull = false;
  }

  /** How many bytes were written. */
  get length(): number {
    return this.at - this.start;
  }

  /** A copy of what was written. */
  bytes(): Buffer {
    return Buffer.from(BUFFER.subarray(this.start, this.at));
  }

  /** The text that was written, if all of it is ASCII. */
  ascii(): string {
    return BUFFER.toString('latin1', this.start, this.at);
  }

  /** Writes packed bytes as they are. */
  write({ words, whole, length }: PackedBytes): void {
    if (!this.fits(length)) return;
    let { at } = this;
    for (let index = 0; index <= whole; index += 1) {
      WORDS.setInt32(at, words[index] as number, true);
      at += 4;
    }
    this.at += length;
  }

  /** Copies the bytes of the document from `start` to `end`. */
  copy(start: number, end: number): void {
    const length = end - start;
    if (!this.fits(length)) return;
    const { at } = this;
    if (length > LOOP_BYTES_MAX) SOURCE.copy(BUFFER, at, start, end);
    else
      for (let done = 0; done < length; done += 4)
        WORDS.setInt32(at + done, SOURCE_WORDS.getInt32(start + done, true), true);
    this.at = at + length;
  }

  /** Writes one byte of ASCII. */
  byte(code: number): void {
    if (!this.fits(1)) return;
    WORDS.setInt8(this.at, code);
    this.at += 1;
  }

  /**
   * Writes an instant in quotes. `year`, `month`, `day` and `times` (hour, minute, second; those that are absent are 0) are the
   * offsets of their digits from `start` in the document.
   */
  instant(start: number, year: number, month: number, day: number, times: readonly { at: number }[]): void {
    const { at } = this;
    this.write(EMPTY_INSTANT);
    if (this.isFull) return;
    WORDS.setInt32(at + 1, SOURCE_WORDS.getInt32(start + year));
    WORDS.setInt16(at + 6, SOURCE_WORDS.getInt16(start + month));
    WORDS.setInt16(at + 9, SOURCE_WORDS.getInt16(start + day));
    let to = at + 12;
    for (const time of times) {
      WORDS.setInt16(to, SOURCE_WORDS.getInt16(start + time.at));
      to += 3;
    }
  }

  /** Writes a text as UTF-8. */
  text(text: string): void {
    if (this.fits(text.length * 3)) this.at += BUFFER.write(text, this.at);
  }

  private fits(length: number): boolean {
    if (this.at + length <= this.max) return true;
    this.isFull = true;
    return false;
  }
}

/** What a field writer needs: the row that it reads, and the buffer that it writes into. */
export type WriteContext = Omit<CurrentRow, 'slotsOf'> & { readonly output: OutputBuffer };

/** Writes the value of a field of the current row. False: it wrote `null`. `undefined`: the contract refuses the value. */
export type FieldWriter = () => boolean | undefined;
