// The steps that read times: numbers of seconds, ISO 8601, declared formats. They write instants as the contract does.

import { DateTime, IANAZone } from 'luxon';
import { Decimal } from '../../../../kernel/decimal.ts';
import { civilMs } from './civil-time.ts';
import { compileDateFormat } from './date-format.ts';
import { type StepValue, onText, type Step, UNREADABLE } from './step.ts';
import { compileLocalTime } from './local-time.ts';

/** The first and the last millisecond of the years 1 to 9999. */
const [FIRST_MS, LAST_MS] = [-62_135_596_800_000, 253_402_300_799_999];
const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** A cache of the days written last, indexed by number: the rows of a page often share a few days. */
const DAYS_KEPT = 256;
const days: ({ readonly number: number; readonly text: string } | undefined)[] = Array.from({
  length: DAYS_KEPT,
});

function dayText(number: number): string {
  const place = ((number % DAYS_KEPT) + DAYS_KEPT) % DAYS_KEPT;
  const kept = days[place];
  if (kept?.number === number) return kept.text;
  const text = new Date(number * DAY_MS).toISOString().slice(0, 10);
  days[place] = { number, text };
  return text;
}

function twoDigits(ms: number, unitMs: number): string {
  return TWO_DIGITS[Math.floor(ms / unitMs) % 60] as string;
}

function instantText(epochMs: number): string | typeof UNREADABLE {
  if (!(epochMs >= FIRST_MS && epochMs <= LAST_MS)) return UNREADABLE;
  const day = Math.floor(epochMs / DAY_MS);
  const ms = Math.floor(epochMs - day * DAY_MS);
  const text = `${dayText(day)}T${twoDigits(ms, 3_600_000)}:${twoDigits(ms, 60_000)}:${twoDigits(ms, 1_000)}`;
  const rest = ms % 1_000;
  return rest === 0 ? `${text}Z` : `${text}.${String(rest).padStart(3, '0')}Z`;
}

const EPOCH = /^(-?\d{1,15})(?:\.(\d+))?$/;

/** Creates a step that reads seconds or milliseconds since 1970 as an instant. What is finer than a millisecond is cut off. */
export function epoch(unit: 'seconds' | 'milliseconds'): Step {
  const digits = unit === 'seconds' ? 3 : 0;
  return onText((text) => {
    // Some languages write a fraction with an exponent: 1.70000000025E9.
    const plain = /\.\d+e/i.test(text) ? Decimal.parseJson(text)?.toString() : text.trim();
    const found = EPOCH.exec(plain ?? '');
    if (found === null) return UNREADABLE;
    const [, whole = '', fraction = ''] = found;
    const ms = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
    // Before 1970, cutting off digits would round up, so the result is one millisecond less.
    const isWithin = whole.startsWith('-') && /[1-9]/.test(fraction.slice(digits));
    return instantText(isWithin ? ms - 1 : ms);
  });
}

const ISO_WITH_ZONE =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/** Reads ISO 8601 with a zone as an instant. */
export function readIso(text: string): StepValue {
  const found = ISO_WITH_ZONE.exec(text.trim());
  if (found === null) return UNREADABLE;
  const [, year, month, day, hour, minute, second = 0, fraction = '', sign, hours = 0, minutes = 0] = found;
  const ms = civilMs({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
  });
  if (ms === undefined) return UNREADABLE;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return instantText(sign === '-' ? ms + offsetMs : ms - offsetMs);
}

/** Reads `/Date(1746006062053+0000)/`: milliseconds since the epoch; the offset is for display only. */
export function readDotnetDate(text: string): StepValue {
  const ms = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/.exec(text.trim())?.[1];
  return ms === undefined ? UNREADABLE : instantText(Number(ms));
}

/**
 * Reads dates of a declared format and zone. A local time skipped by daylight saving time is unreadable. A date without
 * a time is the first instant of that day, even if the day starts later than midnight.
 */
export function compileDate(format: string, zone: string): Step {
  const tokens = format.replaceAll(/'[^']*'/g, '');
  const namesZone = /[zZ]/.test(tokens);
  const namesTime = /[Hh]/.test(tokens);
  const read = compileDateFormat(format);
  const localTime = compileLocalTime(zone);
  return onText((text) => {
    const shownMs = read(text.trim());
    if (shownMs === undefined) return UNREADABLE;
    if (namesZone) return instantText(shownMs);
    const { ms, exists } = localTime(shownMs);
    return exists || !namesTime ? instantText(ms) : UNREADABLE;
  });
}

/** Creates a step that turns the instant from the step before into its day in a zone. */
export function compileDay(zone: string): Step {
  // The zone as luxon names it.
  const there = { zone: zone === 'UTC' ? 'utc' : /^[+-]/.test(zone) ? `UTC${zone}` : zone, locale: 'en-US' };
  return onText((text) => {
    const time = DateTime.fromISO(text, there);
    return time.isValid && text.endsWith('Z') ? time.toFormat('yyyy-MM-dd') : UNREADABLE;
  });
}

/** The tokens that a format may have: numbers, names and quoted texts, but no localised tokens of luxon such as T and D. */
const DATE_FORMAT = /^(?:'[^']*'|[yMLdHhmsSuaZzEco]|[^A-Za-z'])+$/;

/** Whether a format has year, month and day. Luxon would take a missing one from today's date. */
export function namesWholeDate(format: string): boolean {
  if (!DATE_FORMAT.test(format)) return false;
  const options = { zone: 'utc', locale: 'en-US' };
  const probe = DateTime.fromObject({ year: 2001, month: 2, day: 3 }, options);
  const read = DateTime.fromFormat(probe.toFormat(format), format, options);
  // Not `hasSame`: it asks for the locale of the machine, which takes 30 ms when the gateway starts.
  return read.year === 2001 && read.month === 2 && read.day === 3;
}

/** Whether a zone is UTC, an offset such as +02:00 or an IANA zone. */
export function isZone(zone: string): boolean {
  return zone === 'UTC' || /^[+-]\d{2}:\d{2}$/.test(zone) || IANAZone.isValidZone(zone);
}
