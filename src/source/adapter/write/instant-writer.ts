import type { CoercionSpec } from '../../../config/schema/source.ts';
import { ASCII, DOCUMENT } from '../../../kernel/json/scan-json.ts';
import { daysIn } from '../map/coercion/civil-time.ts';
import { compileFixedFormat, type FixedFormat, type DigitPlace } from '../map/coercion/date-format.ts';
import type { WriteContext, WriteValue } from './write-value.ts';

const BYTES = new Uint8Array(DOCUMENT);
const ZERO = 0x30;

/** The format of a step whose instants are in UTC, if all its parts stand at fixed places. */
function utcFormat(step: CoercionSpec | undefined): FixedFormat | undefined {
  if (step === 'iso8601') return compileFixedFormat("yyyy-MM-dd'T'HH:mm:ss'Z'");
  if (typeof step !== 'object' || !('date' in step) || step.date.zone !== 'UTC') return undefined;
  return compileFixedFormat(step.date.format);
}

const isThere = ({ at, end }: DigitPlace) => end > at;

/** The number at a place of a text that begins at `start`; NaN if it has another character than a digit. */
function numberAt(start: number, { at, end }: DigitPlace): number {
  let value = 0;
  for (let index = start + at; index < start + end; index += 1) {
    const digit = (BYTES[index] as number) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Compiles the writer of an instant from the digits that stand in the reply, in UTC and without milliseconds. All other
 * instants are left to `general`.
 */
export function compileInstantWriter(
  step: CoercionSpec | undefined,
  slot: number,
  { projection: { kinds, starts, ends }, sink }: WriteContext,
  general: WriteValue,
): WriteValue {
  const format = utcFormat(step);
  if (format === undefined) return general;
  const { length, literals, places } = format;
  const { year, month, day, hour, minute, second, millisecond } = places;
  const times = [hour, minute, second].filter(isThere);
  // A minute without an hour is odd enough to be left to the general reader.
  if ((isThere(second) && times.length < 3) || (isThere(minute) && !isThere(hour))) return general;

  /** Whether the parts are those of an instant; 24:00 and the like are left out. */
  function isInstant(start: number): boolean {
    const [years, days] = [numberAt(start, year), numberAt(start, day)];
    if (!(years >= 0 && days > 0 && days <= daysIn(years, numberAt(start, month)))) return false;
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
    sink.instant(start, year.at, month.at, day.at, times);
    return true;
  };
}
