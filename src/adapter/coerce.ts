import { DateTime, IANAZone } from 'luxon';
import type { CoercionSpec } from '../config/source-schema.ts';
import { Decimal } from '../kernel/decimal.ts';
import { type Json, NumberText } from '../kernel/json.ts';
import { compileOneOf, type Literal } from './literal.ts';

/** A legacy value that does not read as the source's configuration says. */
export const UNREADABLE = Symbol('unreadable');

/** What flows between steps: a legacy value, a decimal, several values to be joined, or the failure. */
export type Flow = Json | Decimal | undefined | typeof UNREADABLE;

/** One compiled step. `null` means "known to be unknown" and is passed on by every step. */
export type Step = (value: Flow) => Flow;

/** What a step yields, so that a chain can be checked against the field it feeds. */
export type StepKind = 'same' | 'text' | 'decimal' | 'instant';

export type CompiledStep = { readonly run: Step; readonly yields: StepKind };

/** The text of a text or number. */
function textOf(value: Flow): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof NumberText ? value.text : undefined;
}

/** A step that works on texts and numbers and calls everything else unreadable. */
function onText(read: (text: string) => Flow): Step {
  return (value) => {
    if (value === null) return null;
    const text = textOf(value);
    return text === undefined ? UNREADABLE : read(text);
  };
}

/** An exact decimal in plain notation. */
export function readDecimal(text: string): Decimal | typeof UNREADABLE {
  return Decimal.parse(text.trim()) ?? UNREADABLE;
}

/** An exact decimal of a JSON number. */
export function readNumber(value: Flow): Decimal | typeof UNREADABLE {
  if (typeof value === 'number') return readDecimal(String(value));
  return value instanceof NumberText ? (Decimal.parseJson(value.text) ?? UNREADABLE) : UNREADABLE;
}

function instantText(epochMs: number): string | typeof UNREADABLE {
  const date = new Date(epochMs);
  const year = date.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999) return UNREADABLE;
  const text = date.toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}

function epoch(unitMs: number): Step {
  return onText((text) =>
    /^-?\d{1,15}$/.test(text.trim()) ? instantText(Number(text) * unitMs) : UNREADABLE,
  );
}

const ISO_WITH_ZONE =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/;

function readIso(text: string): Flow {
  const trimmed = text.trim();
  if (!ISO_WITH_ZONE.test(trimmed)) return UNREADABLE;
  const date = DateTime.fromISO(trimmed.replace(' ', 'T'), { zone: 'utc' });
  return date.isValid ? instantText(date.toMillis()) : UNREADABLE;
}

/** `/Date(1746006062053+0000)/`: milliseconds since the epoch; the offset only says where the clock stood. */
function readDotnetDate(text: string): Flow {
  const ms = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/.exec(text.trim())?.[1];
  return ms === undefined ? UNREADABLE : instantText(Number(ms));
}

function compileDate(format: string, zone: string): Step {
  const where = /^[+-]/.test(zone) ? `UTC${zone}` : zone;
  return onText((text) => {
    const date = DateTime.fromFormat(text.trim(), format, { zone: where, locale: 'en-US' });
    return date.isValid ? instantText(date.toMillis()) : UNREADABLE;
  });
}

/** Numbers, names and quoted texts; not luxon's tokens for local customs, such as T and D. */
const DATE_FORMAT = /^(?:'[^']*'|[yMLdHhmsSuaZzEco]|[^A-Za-z'])+$/;

/** Whether a format names a whole date: what it left out would be filled in from the day of reading. */
export function namesWholeDate(format: string): boolean {
  if (!DATE_FORMAT.test(format)) return false;
  const options = { zone: 'utc', locale: 'en-US' };
  const probe = DateTime.fromObject({ year: 2001, month: 2, day: 3 }, options);
  return DateTime.fromFormat(probe.toFormat(format), format, options).hasSame(probe, 'day');
}

/** Whether a zone is UTC, an offset such as +02:00 or an IANA zone. */
export function isZone(zone: string): boolean {
  return zone === 'UTC' || /^[+-]\d{2}:\d{2}$/.test(zone) || IANAZone.isValidZone(zone);
}

/**
 * Digits in groups of three or in none, and the declared decimal character: `1.234` must not be read as 1234 or
 * 1.234 by guess. A number that is one in JSON needs no declaration.
 */
function compileNumber(decimal: string, group: string): Step {
  const grouped = group === '' ? '' : `\\d{1,3}(?:[${group}]\\d{3})+|`;
  const form = new RegExp(`^-?(?:${grouped}\\d+)(?:[${decimal}]\\d+)?$`);
  return (value) => {
    if (value === null) return null;
    if (typeof value !== 'string') return readNumber(value);
    const text = value.trim();
    if (!form.test(text)) return UNREADABLE;
    return readDecimal(text.replaceAll(group, '').replace(decimal, '.'));
  };
}

function readCents(text: string): Flow {
  return /^-?\d+$/.test(text.trim()) ? (Decimal.parse(text.trim())?.shifted(2) ?? UNREADABLE) : UNREADABLE;
}

function compileJoin(separator: string): Step {
  return (value) => {
    if (value === null) return null;
    if (!Array.isArray(value)) return UNREADABLE;
    const parts = (value as readonly Json[]).map((part) => (part === null ? '' : textOf(part)?.trim()));
    if (parts.includes(undefined)) return UNREADABLE;
    const joined = parts.filter((part) => part !== '').join(separator);
    return joined === '' ? null : joined;
  };
}

function compileNullIf(literals: readonly Literal[]): Step {
  const isUnknown = compileOneOf(literals);
  return (value) => (isUnknown(value) ? null : value);
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Text that was escaped to be put into HTML, as it was before: the characters that HTML gives a meaning, and
 * numbered ones. Other references and tags are part of the text.
 */
function unescapeHtml(text: string): string {
  return text.replaceAll(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g,
    (whole, name, tens, hex) => {
      if (typeof name === 'string') return CHARACTERS[name] ?? whole;
      const code = typeof tens === 'string' ? Number(tens) : Number.parseInt(hex as string, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

const NAMED: Readonly<Record<Extract<CoercionSpec, string>, CompiledStep>> = {
  trim: { run: onText((text) => text.trim()), yields: 'text' },
  text: { run: onText((text) => text), yields: 'text' },
  unescape: { run: onText(unescapeHtml), yields: 'text' },
  cents: { run: onText(readCents), yields: 'decimal' },
  epochSeconds: { run: epoch(1_000), yields: 'instant' },
  epochMilliseconds: { run: epoch(1), yields: 'instant' },
  iso8601: { run: onText(readIso), yields: 'instant' },
  dotnetDate: { run: onText(readDotnetDate), yields: 'instant' },
};

/** Compiles one step. Every step is total: it yields a value, `null`, or `UNREADABLE`. */
export function compileStep(spec: CoercionSpec): CompiledStep {
  if (typeof spec === 'string') return NAMED[spec];
  if ('nullIf' in spec) return { run: compileNullIf(spec.nullIf), yields: 'same' };
  if ('join' in spec) return { run: compileJoin(spec.join), yields: 'text' };
  if ('number' in spec)
    return { run: compileNumber(spec.number.decimal, spec.number.group), yields: 'decimal' };
  if ('date' in spec) return { run: compileDate(spec.date.format, spec.date.zone), yields: 'instant' };
  const labels = new Map(Object.entries(spec.enum));
  return { run: onText((code) => labels.get(code) ?? UNREADABLE), yields: 'text' };
}
