// Finds the values of a JSON document that a source file maps, without building objects for all the rest of it, and calls back
// after each row. The list programs (`src/source/adapter/row-program`) read replies with it, because `readJson` is slower.

import { isUtf8 } from 'node:buffer';
import { DEPTH_MAX, type Json, readJson } from './json.ts';
import { createLearnedKeys, createPlace, type KeyStep, type WantedPlace } from './learned-keys.ts';
import type { JsonType } from './values.ts';
import {
  ABSENT,
  FALSE_TAIL,
  ASCII,
  BYTES_MAX,
  DOCUMENT,
  isAt,
  NULL,
  NULL_WORD,
  OTHER,
  PLAIN,
  REFUSED,
  skipNumber,
  skipped,
  skipSpace,
  skipText,
  skipWord,
  TRUE_WORD,
  WHOLE,
} from './scan-json.ts';

const BUFFER = Buffer.from(DOCUMENT);
const BYTES = new Uint8Array(DOCUMENT);
/** The types of values by their first byte; all others are numbers. */
const TYPES = new Map<number | undefined, JsonType>([
  [0x22, 'string'],
  [0x7b, 'object'],
  [0x5b, 'array'],
  [0x74, 'boolean'],
  [0x66, 'boolean'],
]);

/**
 * Reads the wanted values of JSON documents (RFC 8259) and skips all others. It accepts no document that `readJson` refuses, but
 * it refuses some that `readJson` accepts: the caller then asks `readJson`. It creates no values: a slot, which is a number, says
 * where a value stands. A document is read in one turn of the event loop. Its slots are valid until any projection reads the next document.
 */
export class Projection {
  /** By slot: the kind of the value, and the offsets of its start and end. The quotes of a text are left out. */
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  private readonly root: WantedPlace;
  /** The first slot of the rows; the slots below it belong to the document. */
  private readonly rowSlots: number;
  private readonly keys: ReturnType<typeof createLearnedKeys>;
  private readonly onRow: () => boolean;

  /** `onRow` is called after each row, while the slots hold the values of that row. If it returns false, reading ends. */
  constructor(
    root: WantedPlace,
    slots: { readonly document: number; readonly row: number },
    onRow: () => boolean,
  ) {
    const count = slots.document + slots.row;
    this.kinds = new Uint8Array(count);
    this.starts = new Int32Array(count);
    this.ends = new Int32Array(count);
    this.root = root;
    this.keys = createLearnedKeys(root);
    this.rowSlots = slots.document;
    this.onRow = onRow;
  }

  /** Reads a document in UTF-8 without a byte order mark. False: the document is refused, here or by `onRow`. */
  read(bytes: Buffer): boolean {
    if (bytes.length > BYTES_MAX || !isUtf8(bytes)) return false;
    BYTES.set(bytes);
    BYTES[bytes.length] = 0;
    this.kinds.fill(ABSENT);
    this.keys.begin();
    const end = this.readValue(this.root, skipSpace(0), 0);
    return end !== REFUSED && skipSpace(end) === bytes.length;
  }

  /** The text in a slot of kind ASCII, PLAIN, WHOLE or FRACTION, as it stands in the document. */
  private textIn(slot: number): string {
    const encoding = this.kinds[slot] === PLAIN ? 'utf8' : 'latin1';
    return BUFFER.toString(encoding, this.starts[slot], this.ends[slot]);
  }

  /** The value in a slot, as `readJson` would read it; `undefined` if there is none. */
  valueIn(slot: number): Json | undefined {
    switch (this.kinds[slot]) {
      case ABSENT:
        return undefined;
      case NULL:
        return null;
      case ASCII:
      case PLAIN:
        return this.textIn(slot);
      case WHOLE:
        return Number(this.textIn(slot));
      default:
        return readJson(BUFFER.toString('utf8', this.starts[slot], this.ends[slot]));
    }
  }

  /** The type of the value in a slot; `undefined` for `null`, and if there is none. */
  typeIn(slot: number): JsonType | undefined {
    const kind = this.kinds[slot] as number;
    if (kind !== OTHER) return kind < ASCII ? undefined : kind < WHOLE ? 'string' : 'number';
    return TYPES.get(BYTES[this.starts[slot] as number]) ?? 'number';
  }

  /** Reads a value inside `depth` containers; returns its end. */
  private readValue(place: WantedPlace, start: number, depth: number): number {
    const end = this.skipValue(place, start, depth);
    const { slot } = place;
    if (slot === -1 || end === REFUSED) return end;
    const { kind } = skipped;
    const quote = kind === ASCII || kind === PLAIN ? 1 : 0;
    this.kinds[slot] = kind;
    this.starts[slot] = start + quote;
    this.ends[slot] = end - quote;
    return end;
  }

  private skipValue(place: WantedPlace, start: number, depth: number): number {
    const byte = BYTES[start];
    if (place.rows !== undefined)
      return byte === 0x5b ? this.readItems(place.rows, start, depth, this.onRow) : REFUSED;
    switch (byte) {
      case 0x22:
        return skipText(start);
      case 0x7b:
        return this.readObject(place, start, depth);
      case 0x5b:
        place.items ??= createPlace(-1);
        return this.readItems(place.items, start, depth, undefined);
      case 0x6e:
        return skipWord(start, NULL_WORD, NULL);
      case 0x74:
        return skipWord(start, TRUE_WORD, OTHER);
      case 0x66:
        return skipWord(start + 1, FALSE_TAIL, OTHER);
      default:
        return skipNumber(start);
    }
  }

  private readItems(
    place: WantedPlace,
    start: number,
    depth: number,
    onRow: (() => boolean) | undefined,
  ): number {
    if (depth >= DEPTH_MAX) return REFUSED;
    let at = skipSpace(start + 1);
    for (let isFirst = true; !(isFirst && BYTES[at] === 0x5d); isFirst = false) {
      if (onRow !== undefined)
        for (let slot = this.rowSlots; slot < this.kinds.length; slot += 1) this.kinds[slot] = ABSENT;
      at = this.readValue(place, at, depth + 1);
      if (at === REFUSED || onRow?.() === false) return REFUSED;
      at = skipSpace(at);
      if (BYTES[at] === 0x5d) break;
      if (BYTES[at] !== 0x2c) return REFUSED;
      at = skipSpace(at + 1);
    }
    skipped.kind = OTHER;
    return at + 1;
  }

  private readObject(place: WantedPlace, start: number, depth: number): number {
    if (depth >= DEPTH_MAX) return REFUSED;
    let at = start;
    let step: KeyStep | undefined;
    let expected = place.first;
    for (;;) {
      if (expected === undefined || !isAt(at, expected.literal)) {
        const next = skipSpace(step === undefined ? at + 1 : at);
        if (BYTES[next] === 0x7d) {
          at = next;
          break;
        }
        expected = this.findKey(place, step, at);
        if (expected === undefined) return REFUSED;
      }
      step = expected;
      at = this.readValue(step.place, at + step.literal.length, depth + 1);
      if (at === REFUSED) return REFUSED;
      if (BYTES[at] === 0x7d) break;
      expected = step.next;
    }
    skipped.kind = OTHER;
    return at + 1;
  }

  /** Reads a key that is not the expected one, up to its value; `undefined` if there is none, or it comes twice. */
  private findKey(place: WantedPlace, before: KeyStep | undefined, start: number): KeyStep | undefined {
    let known = (before === undefined ? place.first : before.next)?.sibling;
    for (; known !== undefined; known = known.sibling) if (isAt(start, known.literal)) return known;
    let at = skipSpace(start);
    if (BYTES[at] !== (before === undefined ? 0x7b : 0x2c)) return undefined;
    const quote = skipSpace(at + 1);
    if (BYTES[quote] !== 0x22) return undefined;
    const end = skipText(quote);
    if (end === REFUSED) return undefined;
    const key = JSON.parse(BUFFER.toString('utf8', quote, end)) as string;
    at = skipSpace(end);
    if (BYTES[at] !== 0x3a) return undefined;
    return this.keys.add(place, before, key, BYTES.slice(start, skipSpace(at + 1)));
  }
}
