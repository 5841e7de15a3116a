// Checks days and instants, and writes them in the canonical form that v1 answers have.

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,3})?(?:Z|([+\- ])(\d{2}):(\d{2}))$/i;
/** The milliseconds of a day. */
export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The first millisecond of a day in UTC, since 1970; `undefined` for a text that is no day of the years 1 to 9999. */
export function dayMs(text: string): number | undefined {
  if (!DATE.test(text) || text.startsWith('0000')) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // `Date` reads 2025-02-30 as the second of March.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : ms;
}

/** An instant in its canonical form: `YYYY-MM-DDTHH:mm:ssZ`, with milliseconds only if they are not zero. */
export function canonicalInstant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/**
 * Reads an instant of RFC 3339 and returns its canonical form; `undefined` for any other text. A blank before the offset
 * counts as a plus, because `+` in a URL is decoded as a blank.
 */
export function parseInstant(text: string): string | undefined {
  const match = DATETIME.exec(text);
  if (match === null) return undefined;
  const [, day = '', hours, minutes, seconds, fraction = '', sign, offsetHours = '00', offsetMinutes = '00'] =
    match;
  const start = dayMs(day);
  const isClock = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  if (start === undefined || !isClock || Number(offsetHours) > 23 || Number(offsetMinutes) > 59)
    return undefined;
  const time = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1_000;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const ms = start + time + Number(fraction.slice(1).padEnd(3, '0')) - offset;
  const written = canonicalInstant(ms);
  return /^(?!0000)\d{4}-/.test(written) ? written : undefined;
}

/** Whether a text is an existing day of the years 1 to 9999. */
export const isDay = (text: string): boolean => dayMs(text) !== undefined;
