// Reads dates in a format of luxon's tokens. Common formats are read without luxon, which takes ten times as long.

import { DateTime } from 'luxon';
import { civilMs, type CivilTime } from './civil-time.ts';

/** Reads a text in one format to milliseconds since 1970. The time is in UTC, or in the offset that the text names. */
export type DateReader = (text: string) => number | undefined;

/** Tokens of luxon that stand for digits only, with the fewest and the most digits that luxon accepts. */
const DIGITS: Readonly<Record<string, readonly [part: keyof CivilTime, min: number, max: number]>> = {
  yyyy: ['year', 4, 4],
  MM: ['month', 2, 2],
  M: ['month', 1, 2],
  LL: ['month', 2, 2],
  L: ['month', 1, 2],
  dd: ['day', 2, 2],
  d: ['day', 1, 2],
  HH: ['hour', 2, 2],
  H: ['hour', 1, 2],
  mm: ['minute', 2, 2],
  m: ['minute', 1, 2],
  ss: ['second', 2, 2],
  s: ['second', 1, 2],
  SSS: ['millisecond', 3, 3],
  S: ['millisecond', 1, 3],
};

/** Tokens of luxon for an offset, as it reads them. */
const OFFSETS: Readonly<Record<string, RegExp>> = {
  Z: /^[+-]\d{1,2}(?::\d{2})?$/,
  ZZ: /^[+-]\d{1,2}(?::\d{2})?$/,
  ZZZ: /^[+-]\d{1,2}(?:\d{2})?$/,
};

/** A token, a quoted text, or a character that stands for itself. */
const TOKEN = /'([^']+)'|([A-Za-z])\2*|[^']/g;

/**
 * A part of a format. If it names a part of the time, it is `min` to `max` digits. If not, it is a single character: `code` in
 * lower case, `other` in upper case. All have the same fields, which keeps reading fast.
 */
type FormatPart = {
  readonly part: keyof CivilTime | undefined;
  readonly min: number;
  readonly max: number;
  readonly code: number;
  readonly other: number;
};

/** A format of digits, ASCII characters and, at its end, an offset. */
type DigitFormat = { readonly formatParts: readonly FormatPart[]; readonly offset: RegExp | undefined };

function literalParts(literal: string): readonly FormatPart[] {
  return literal.split('').map((character) => ({
    part: undefined,
    min: 0,
    max: 0,
    code: character.toLowerCase().charCodeAt(0),
    other: character.toUpperCase().charCodeAt(0),
  }));
}

/** Whether it is certain where each part ends, because no digit follows a part with a variable number of digits. */
function isUnambiguous(formatParts: readonly FormatPart[]): boolean {
  return formatParts.every((one, index) => {
    const next = formatParts[index + 1];
    if (one.part === undefined || one.min === one.max || next === undefined) return true;
    return next.part === undefined && !(next.code >= 0x30 && next.code <= 0x39);
  });
}

/** Compiles a format of digits that names a whole date; `undefined` for formats that are left to luxon. */
function compileDigits(format: string): DigitFormat | undefined {
  const formatParts: FormatPart[] = [];
  let offset: RegExp | undefined;
  let length = 0;
  for (const [token, quoted, letter] of format.matchAll(TOKEN)) {
    if (offset !== undefined) return undefined;
    length += token.length;
    const [part, min = 0, max = 0] = DIGITS[token] ?? [];
    if (letter === undefined) formatParts.push(...literalParts(quoted ?? token));
    else if (part !== undefined) formatParts.push({ part, min, max, code: 0, other: 0 });
    else if ((offset = OFFSETS[token]) === undefined) return undefined;
  }
  const parts = formatParts.flatMap(({ part }) => part ?? []);
  const isWholeDate = (['year', 'month', 'day'] as const).every((part) => parts.includes(part));
  const isPlain = length === format.length && /^[ -~]*$/.test(format) && new Set(parts).size === parts.length;
  return isWholeDate && isPlain && isUnambiguous(formatParts) ? { formatParts, offset } : undefined;
}

/** Milliseconds of an offset such as +02:00, -0330 or +1. */
function offsetMs(text: string): number {
  const digits = text.slice(1).replace(':', '');
  const [hours, minutes] = digits.length <= 2 ? [digits, 0] : [digits.slice(0, -2), digits.slice(-2)];
  return (text.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The offsets of the digits of a part in a fixed format; both are equal if the format lacks the part. */
export type DigitPlace = { readonly at: number; readonly end: number };

/** The number at a place; NaN if it has another character than a digit. */
function numberAt(text: string, { at, end }: DigitPlace): number {
  let value = 0;
  for (let index = at; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** A format whose parts all have a fixed length, so that each stands at its place. */
export type FixedFormat = {
  readonly length: number;
  readonly places: Readonly<Record<keyof CivilTime, DigitPlace>>;
  readonly literals: readonly (Pick<FormatPart, 'code' | 'other'> & { readonly at: number })[];
};

function fixedOf({ formatParts, offset }: DigitFormat): FixedFormat | undefined {
  if (offset !== undefined || formatParts.some(({ min, max }) => min !== max)) return undefined;
  const found = new Map<keyof CivilTime, DigitPlace>();
  const literals: FixedFormat['literals'][number][] = [];
  let length = 0;
  for (const { part, max, code, other } of formatParts) {
    if (part === undefined) literals.push({ at: length, code, other });
    else found.set(part, { at: length, end: length + max });
    length += part === undefined ? 1 : max;
  }
  const place = (part: keyof CivilTime): DigitPlace => found.get(part) ?? { at: 0, end: 0 };
  const [year, month, day] = [place('year'), place('month'), place('day')];
  const [hour, minute, second] = [place('hour'), place('minute'), place('second')];
  const places = { year, month, day, hour, minute, second, millisecond: place('millisecond') };
  return { length, places, literals };
}

/** Compiles a format whose parts all have a fixed length; `undefined` for any other format. */
export function compileFixedFormat(format: string): FixedFormat | undefined {
  const digits = compileDigits(format);
  return digits && fixedOf(digits);
}

function readFixed({ length, places, literals }: FixedFormat): DateReader {
  const { year: years, month: months, day: days, millisecond: milliseconds } = places;
  const { hour: hours, minute: minutes, second: seconds } = places;
  return function readDate(text) {
    if (text.length !== length) return undefined;
    for (const { at, code, other } of literals) {
      const found = text.charCodeAt(at);
      if (found !== code && found !== other) return undefined;
    }
    const [year, month, day] = [numberAt(text, years), numberAt(text, months), numberAt(text, days)];
    const [hour, minute, second] = [numberAt(text, hours), numberAt(text, minutes), numberAt(text, seconds)];
    const millisecond = numberAt(text, milliseconds);
    if (Number.isNaN(year + month + day + hour + minute + second + millisecond)) return undefined;
    return civilMs({ year, month, day, hour, minute, second, millisecond });
  };
}

/** Reads a format of digits in one pass over the text, without a regular expression. */
function readDigits(digits: DigitFormat): DateReader {
  const fixed = fixedOf(digits);
  if (fixed !== undefined) return readFixed(fixed);
  const { formatParts, offset } = digits;
  return function readDate(text) {
    const time = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, millisecond: 0 };
    let at = 0;
    for (const { part, min, max, code, other } of formatParts) {
      if (part === undefined) {
        const found = text.charCodeAt(at);
        if (found !== code && found !== other) return undefined;
        at += 1;
        continue;
      }
      const end = at + max;
      const least = at + min;
      let value = 0;
      for (; at < end; at += 1) {
        const digit = text.charCodeAt(at) - 0x30;
        if (!(digit >= 0 && digit <= 9)) break;
        value = value * 10 + digit;
      }
      if (at < least) return undefined;
      time[part] = value;
    }
    if (offset === undefined) return at === text.length ? civilMs(time) : undefined;
    const named = text.slice(at);
    const ms = offset.test(named) ? civilMs(time) : undefined;
    return ms === undefined ? undefined : ms - offsetMs(named);
  };
}

function readWithLuxon(format: string): DateReader {
  const options = { zone: 'utc', locale: 'en-US' };
  let parser: ReturnType<typeof DateTime.buildFormatParser> | undefined;
  return function readDate(text) {
    parser ??= DateTime.buildFormatParser(format, { locale: options.locale });
    const date = DateTime.fromFormatParser(text, parser, options);
    return date.isValid ? date.toMillis() : undefined;
  };
}

/** Compiles the reader of a format. Formats with other parts than digits, such as names of months, are left to luxon. */
export function compileDateFormat(format: string): DateReader {
  const digits = compileDigits(format);
  return digits === undefined ? readWithLuxon(format) : readDigits(digits);
}
