// The calendar, for the steps that read dates.

/** A date and a time without a zone, as calendars and clocks show them. */
export type CivilTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
};

const YEARS_400_MS = 146_097 * 86_400_000;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The number of days of a month; 0 if there is no such month. */
export function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Milliseconds since 1970 of a UTC time in the years 0 to 9999; `undefined` if it does not exist. 24:00 is the end of a day. */
export function civilMs({
  year,
  month,
  day,
  hour,
  minute,
  second,
  millisecond,
}: CivilTime): number | undefined {
  if (day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 && (hour > 24 || minute + second + millisecond > 0)) return undefined;
  if (minute > 59 || second > 59) return undefined;
  if (year > 99) return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999. The calendar repeats after 400 years.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second, millisecond) - YEARS_400_MS;
}
