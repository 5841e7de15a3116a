// Writers of one field of a row, for the byte sink (byte-sink.ts). If the mapping does not change a value, its bytes are
// copied from the reply. The general reader reads all other values.

import type { MappingSpec } from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import { jsonOf } from '../../../contract/response-body.ts';
import { hasUnprintable } from '../../../kernel/control-characters.ts';
import { ABSENT, ASCII, DOCUMENT, FRACTION, NULL, PLAIN, WHOLE } from '../../../kernel/json/scan-json.ts';
import { packBytes } from '../../../kernel/json/learned-keys.ts';
import type { FieldReader } from '../map/map-record.ts';
import { compileInstantWriter } from './instant-writer.ts';
import type { FieldWriter, OutputBuffer, WriteContext } from './output-buffer.ts';

const BYTES = new Uint8Array(DOCUMENT);
const QUOTE = 0x22;
const NULL_JSON = packBytes(Buffer.from('null'));
/** The general reader reads longer numbers. `Decimal` refuses only texts that are far longer. */
const FRACTION_LENGTH_MAX = 1_000;

/** The first byte of a character in UTF-8 that `trim` may remove: U+0085 … U+00A0, U+1680, U+2000 … U+3000, U+FEFF. */
const isSpaceLike = (byte: number) =>
  byte <= 0x20 || byte === 0xc2 || (byte >= 0xe1 && byte <= 0xe3) || byte === 0xef;

/** Whether `trim` surely leaves a text as it is. False is a safe answer for any text. */
function isTrimmed(start: number, end: number): boolean {
  if (start === end) return true;
  let last = end - 1;
  while (last > start && ((BYTES[last] as number) & 0xc0) === 0x80) last -= 1;
  return !isSpaceLike(BYTES[start] as number) && !isSpaceLike(BYTES[last] as number);
}

/** Creates the writer that lets the general reader read the value, and writes the result. */
export function generalWriter(
  field: Field,
  reader: FieldReader,
  { output, onMissingValue }: WriteContext,
): FieldWriter {
  return () => {
    const value = reader.read(null, onMissingValue);
    if (!field.accepts(value)) return undefined;
    output.text(jsonOf(value));
    return value !== null;
  };
}

function writeNull(output: OutputBuffer): false {
  output.write(NULL_JSON);
  return false;
}

/** Creates the writer of a text, which copies its bytes if no step would change them. */
function textWriter(
  slot: number,
  { isLabel, trims }: { readonly isLabel: boolean; readonly trims: boolean },
  { projection: { kinds, starts, ends }, output }: WriteContext,
  general: FieldWriter,
): FieldWriter {
  return () => {
    const kind = kinds[slot];
    if (kind === NULL) return writeNull(output);
    if (kind !== ASCII && (kind !== PLAIN || isLabel)) return general();
    const [start, end] = [starts[slot] as number, ends[slot] as number];
    if (trims && !isTrimmed(start, end)) return general();
    output.byte(QUOTE);
    output.copy(start, end);
    output.byte(QUOTE);
    return true;
  };
}

/** Creates the writer of several texts or numbers with a separator between them, which copies their bytes. */
function joinWriter(
  slots: readonly number[],
  {
    name,
    isLabel,
    separator,
  }: { readonly name: string; readonly isLabel: boolean; readonly separator: string },
  { projection: { kinds, starts, ends }, output, onMissingValue }: WriteContext,
  general: FieldWriter,
): FieldWriter {
  const between = packBytes(Buffer.from(JSON.stringify(separator).slice(1, -1)));

  function isCopied(slot: number): boolean {
    const kind = kinds[slot] as number;
    if (kind === PLAIN ? isLabel : kind !== ASCII) return kind === ABSENT || kind === NULL || kind === WHOLE;
    return isTrimmed(starts[slot] as number, ends[slot] as number);
  }

  return () => {
    let absent = 0;
    for (const slot of slots) {
      if (!isCopied(slot)) return general();
      if (kinds[slot] === ABSENT) absent += 1;
    }
    if (absent === slots.length) return general();
    if (absent > 0) onMissingValue(name, 'absent');
    let isEmpty = true;
    for (const slot of slots) {
      const [start, end] = [starts[slot] as number, ends[slot] as number];
      const kind = kinds[slot];
      if (kind === ABSENT || kind === NULL || start === end) continue;
      if (isEmpty) output.byte(QUOTE);
      else output.write(between);
      isEmpty = false;
      output.copy(start, end);
    }
    if (isEmpty) return writeNull(output);
    output.byte(QUOTE);
    return true;
  };
}

/** Creates the writer of a number, which copies its digits. */
function decimalWriter(
  slot: number,
  { projection: { kinds, starts, ends }, output }: WriteContext,
  general: FieldWriter,
): FieldWriter {
  return () => {
    const [start, end] = [starts[slot] as number, ends[slot] as number];
    const kind = kinds[slot];
    if (kind !== WHOLE && (kind !== FRACTION || end - start > FRACTION_LENGTH_MAX)) return general();
    output.copy(start, end);
    return true;
  };
}

/**
 * Compiles the writer of a field. It copies bytes from the reply if the mapping leaves them as they are, and calls `general`
 * for all other values and mappings.
 */
export function compileFieldWriter(
  field: Field,
  { as }: MappingSpec[string],
  slots: readonly number[],
  context: WriteContext,
  general: FieldWriter,
): FieldWriter {
  const [slot] = slots;
  if (slot === undefined) return general;
  const { isLabel } = field;
  const [step] = as;
  const trims = as.some((one) => one === 'trim');
  if (field.kind === 'decimal' && as.length === 0 && slots.length === 1)
    return decimalWriter(slot, context, general);
  if (field.kind === 'datetime' && as.length === 1 && slots.length === 1)
    return compileInstantWriter(step, slot, context, general);
  if (field.kind !== 'text') return general;
  if (slots.length === 1 && as.every((one) => one === 'trim' || one === 'text'))
    return textWriter(slot, { isLabel, trims }, context, general);
  if (as.length !== 1 || typeof step !== 'object' || !('join' in step)) return general;
  const { join: separator } = step;
  const isPlain = separator.isWellFormed() && !(isLabel && hasUnprintable(separator));
  return isPlain ? joinWriter(slots, { name: field.name, isLabel, separator }, context, general) : general;
}
