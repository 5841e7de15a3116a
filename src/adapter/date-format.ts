import { DateTime } from 'luxon';
import { fitsShape } from '../kernel/shape.ts';
import { civilMs, type CivilTime } from './civil-time.ts';

/** Reads a text in one format: milliseconds since 1970 where clocks show UTC, or the offset that the text names. */
export type DateReader = (text: string) => number | undefined;

type Part = keyof CivilTime | 'offset';

/** Tokens of luxon that are digits alone, as it reads them. */
const TOKENS: Readonly<Record<string, readonly [Part, string]>> = {
  yyyy: ['year', String.raw`(\d{4})`],
  MM: ['month', String.raw`(\d{2})`],
  M: ['month', String.raw`(\d{1,2})`],
  LL: ['month', String.raw`(\d{2})`],
  L: ['month', String.raw`(\d{1,2})`],
  dd: ['day', String.raw`(\d{2})`],
  d: ['day', String.raw`(\d{1,2})`],
  HH: ['hour', String.raw`(\d{2})`],
  H: ['hour', String.raw`(\d{1,2})`],
  mm: ['minute', String.raw`(\d{2})`],
  m: ['minute', String.raw`(\d{1,2})`],
  ss: ['second', String.raw`(\d{2})`],
  s: ['second', String.raw`(\d{1,2})`],
  SSS: ['millisecond', String.raw`(\d{3})`],
  S: ['millisecond', String.raw`(\d{1,3})`],
  Z: ['offset', String.raw`([+-]\d{1,2}(?::\d{2})?)`],
  ZZ: ['offset', String.raw`([+-]\d{1,2}(?::\d{2})?)`],
  ZZZ: ['offset', String.raw`([+-]\d{1,2}(?:\d{2})?)`],
};

/** A token, a quoted text, or a character that stands for itself. */
const PIECE = /'([^']+)'|([A-Za-z])\2*|[^']/g;

const escaped = (text: string) => text.replaceAll(/[-[\]{}()*+?.,\\^$|#/]/g, String.raw`\$&`);

/** The expression of a format and what its groups are; `undefined` where it has more than digits and plain texts. */
function compileDigits(format: string): { pattern: RegExp; parts: ReadonlyMap<Part, number> } | undefined {
  const parts = new Map<Part, number>();
  let source = '';
  let length = 0;
  for (const [piece, quoted, letter] of format.matchAll(PIECE)) {
    length += piece.length;
    if (letter === undefined) {
      source += escaped(quoted ?? piece);
      continue;
    }
    const [part, group] = TOKENS[piece] ?? [];
    if (part === undefined || group === undefined || parts.has(part)) return undefined;
    parts.set(part, parts.size + 1);
    source += group;
  }
  const isWhole = parts.has('year') && parts.has('month') && parts.has('day') && length === format.length;
  return isWhole ? { pattern: new RegExp(`^${source}$`, 'i'), parts } : undefined;
}

/** Minutes of an offset such as +02:00, -0330 or +1. */
function offsetMinutes(text: string): number {
  const digits = text.slice(1).replace(':', '');
  const [hours, minutes] = digits.length <= 2 ? [digits, 0] : [digits.slice(0, -2), digits.slice(-2)];
  return (text.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function readDigits({ pattern, parts }: NonNullable<ReturnType<typeof compileDigits>>): DateReader {
  const at = (part: Part) => parts.get(part) ?? Infinity;
  const [year, month, day, hour, minute] = [at('year'), at('month'), at('day'), at('hour'), at('minute')];
  const [second, millisecond, offset] = [at('second'), at('millisecond'), at('offset')];
  return function readDate(text) {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    const ms = civilMs({
      year: Number(found[year]),
      month: Number(found[month]),
      day: Number(found[day]),
      hour: Number(found[hour] ?? 0),
      minute: Number(found[minute] ?? 0),
      second: Number(found[second] ?? 0),
      millisecond: Number(found[millisecond] ?? 0),
    });
    const named = found[offset];
    return ms === undefined || named === undefined ? ms : ms - offsetMinutes(named) * 60_000;
  };
}

/** How many digits each part has where it stands at a fixed place. */
const WIDTHS = { year: 4, month: 2, day: 2, hour: 2, minute: 2, second: 2, millisecond: 3 } as const;

/** Where each part begins; what is not there begins nowhere. */
type Places = Record<keyof CivilTime, number>;
const NOWHERE = -1;

/**
 * Where parts stand in a format whose every part has its width, and the shape of its texts; `undefined` where one has
 * not, or a character could be written in two ways or be taken for a digit.
 */
function compilePlaces(format: string): { readonly places: Places; readonly shape: string } | undefined {
  const places: Places = {
    ...{ year: NOWHERE, month: NOWHERE, day: NOWHERE, hour: NOWHERE },
    ...{ minute: NOWHERE, second: NOWHERE, millisecond: NOWHERE },
  };
  let shape = '';
  for (const [piece, quoted, letter] of format.matchAll(PIECE)) {
    const [part] = TOKENS[piece] ?? [];
    if (letter === undefined) {
      const literal = quoted ?? piece;
      // Letters are read in either case.
      if (!/^[ -/:-@[-`{-~]*$/.test(literal)) return undefined;
      shape += literal;
    } else if (part !== undefined && part !== 'offset' && WIDTHS[part] === piece.length) {
      places[part] = shape.length;
      shape += '0'.repeat(piece.length);
    } else {
      return undefined;
    }
  }
  return { places, shape };
}

/** The number that the digits of a part write; 0 where it is not there. */
function digitsAt(text: string, from: number, width: number): number {
  if (from === NOWHERE) return 0;
  let value = 0;
  for (let at = from; at < from + width; at += 1) value = value * 10 + text.charCodeAt(at) - 0x30;
  return value;
}

/** Reads texts whose parts stand at their places without an expression; `otherwise` reads the rest. */
function readPlaces(format: string, otherwise: DateReader): DateReader {
  const found = compilePlaces(format);
  if (found === undefined) return otherwise;
  const { places, shape } = found;
  return function readDate(text) {
    if (!fitsShape(text, shape)) return otherwise(text);
    return civilMs({
      year: digitsAt(text, places.year, WIDTHS.year),
      month: digitsAt(text, places.month, WIDTHS.month),
      day: digitsAt(text, places.day, WIDTHS.day),
      hour: digitsAt(text, places.hour, WIDTHS.hour),
      minute: digitsAt(text, places.minute, WIDTHS.minute),
      second: digitsAt(text, places.second, WIDTHS.second),
      millisecond: digitsAt(text, places.millisecond, WIDTHS.millisecond),
    });
  };
}

function readWithLuxon(format: string): DateReader {
  const options = { zone: 'utc', locale: 'en-US' };
  let parser: ReturnType<typeof DateTime.buildFormatParser> | undefined;
  return function readDate(text) {
    parser ??= DateTime.buildFormatParser(format, { locale: options.locale });
    const told = DateTime.fromFormatParser(text, parser, options);
    return told.isValid ? told.toMillis() : undefined;
  };
}

/** Compiles a format of luxon's tokens once; one of digits is read without luxon, which takes ten times as long. */
export function compileDateFormat(format: string): DateReader {
  const digits = compileDigits(format);
  return digits === undefined ? readWithLuxon(format) : readPlaces(format, readDigits(digits));
}
