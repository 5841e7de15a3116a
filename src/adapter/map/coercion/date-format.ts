import { DateTime } from 'luxon';
import { civilMs, type CivilTime } from './civil-time.ts';

/** Parses a text of one format: milliseconds since 1970, as UTC or with the offset in the text. */
export type DateReader = (text: string) => number | undefined;

type Part = keyof CivilTime | 'offset';

/** The tokens of luxon that consist of digits, with the pattern that luxon uses. */
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

/** Compiles a format to a pattern and its groups; `undefined` if it has more than digits and literal text. */
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

type FixedPlace = { readonly part: Exclude<Part, 'offset'>; readonly at: number; readonly end: number };

/** The number of digits of the tokens with a fixed width. */
const WIDTHS: Readonly<Record<string, number>> = {
  yyyy: 4,
  MM: 2,
  LL: 2,
  dd: 2,
  HH: 2,
  mm: 2,
  ss: 2,
  SSS: 3,
};

/**
 * The positions of the parts in a format of fixed-width tokens, and the characters between them; `undefined` if a token
 * has no fixed width or a character could be written in two ways.
 */
function compilePlaces(format: string) {
  const places: FixedPlace[] = [];
  const literals: { readonly at: number; readonly code: number }[] = [];
  let at = 0;
  for (const [piece, quoted, letter] of format.matchAll(PIECE)) {
    if (letter !== undefined) {
      const width = WIDTHS[piece];
      const [part] = TOKENS[piece] ?? [];
      if (width === undefined || part === undefined || part === 'offset') return undefined;
      places.push({ part, at, end: at + width });
      at += width;
      continue;
    }
    for (const character of quoted ?? piece) {
      // Letters match in either case, so they have no single code.
      if (!/^[ -@[-`{-~]$/.test(character)) return undefined;
      literals.push({ at, code: character.charCodeAt(0) });
      at += 1;
    }
  }
  return { places, literals, length: at };
}

/** The number at a position; -1 if it has a character that is not a digit. */
function digitsAt(text: string, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** A fast path without a regular expression, for parts at fixed positions; `otherwise` reads all other texts. */
function readPlaces(format: string, otherwise: DateReader): DateReader {
  const found = compilePlaces(format);
  if (found === undefined) return otherwise;
  const { places, literals, length } = found;
  return function readDate(text) {
    if (text.length !== length) return otherwise(text);
    for (const { at, code } of literals) if (text.charCodeAt(at) !== code) return otherwise(text);
    const time = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, millisecond: 0 };
    for (const { part, at, end } of places) {
      const value = digitsAt(text, at, end);
      if (value < 0) return otherwise(text);
      time[part] = value;
    }
    return civilMs(time);
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

/** Compiles a format of luxon's tokens. Formats of digits are parsed without luxon, which takes ten times as long. */
export function compileDateFormat(format: string): DateReader {
  const digits = compileDigits(format);
  return digits === undefined ? readWithLuxon(format) : readPlaces(format, readDigits(digits));
}
