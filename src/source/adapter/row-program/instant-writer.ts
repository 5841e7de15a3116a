// Writes the times of an answer for the byte sink (byte-sink.ts). Copying their digits is faster than reading a time and
// writing it.

import type { CoercionSpec } from '../../../config/schema/source.ts';
import { ASCII, DOCUMENT } from '../../../kernel/json/scan-json.ts';
import { daysIn } from '../map/coercion/civil-time.ts';
import { compileFixedFormat, type FixedFormat, type DigitPlace } from '../map/coercion/date-format.ts';
import { type FieldWriter, numberIn, type WriteContext } from './output-buffer.ts';

const BYTES = new Uint8Array(DOCUMENT);

/** The format of a step that reads UTC, if each part of the format has a fixed place; else `undefined`. */
function utcFormat(step: CoercionSpec | undefined): FixedFormat | undefined {
  if (step === 'iso8601') return compileFixedFormat("yyyy-MM-dd'T'HH:mm:ss'Z'");
  if (typeof step !== 'object' || !('date' in step) || step.date.zone !== 'UTC') return undefined;
  return compileFixedFormat(step.date.format);
}

const isThere = ({ at, end }: DigitPlace) => end > at;

/** The number at a place of a text that begins at `start`; NaN if it has another character than a digit. */
const numberAt = (start: number, { at, end }: DigitPlace) => numberIn(start + at, start + end);

/**
 * Compiles the writer of instants whose digits can be copied from the reply, because they are in UTC and have no milliseconds.
 * `general` writes all other instants.
 */
export function compileInstantWriter(
  step: CoercionSpec | undefined,
  slot: number,
  { projection: { kinds, starts, ends }, output }: WriteContext,
  general: FieldWriter,
): FieldWriter {
  const format = utcFormat(step);
  if (format === undefined) return general;
  const { length, literals, places } = format;
  const { year, month, day, hour, minute, second, millisecond } = places;
  const times = [hour, minute, second].filter(isThere);
  // The general reader reads a format that has minutes without hours, which is rare.
  if ((isThere(second) && times.length < 3) || (isThere(minute) && !isThere(hour))) return general;

  /** Whether the parts are those of an instant. The general reader reads 24:00 and the like. */
  function isInstant(start: number): boolean {
    const [years, days] = [numberAt(start, year), numberAt(start, day)];
    if (!(years > 0 && days > 0 && days <= daysIn(years, numberAt(start, month)))) return false;
    const [hours, minutes, seconds] = [
      numberAt(start, hour),
      numberAt(start, minute),
      numberAt(start, second),
    ];
    return hours < 24 && minutes < 60 && seconds < 60 && numberAt(start, millisecond) === 0;
  }

  return () => {
    const start = starts[slot] as number;
    if (kinds[slot] !== ASCII || (ends[slot] as number) - start !== length) return general();
    for (const { at, other } of literals) if (BYTES[start + at] !== other) return general();
    if (!isInstant(start)) return general();
    output.instant(start, year.at, month.at, day.at, times);
    return true;
  };
}
