// Days and instants of parameters and values, in their canonical forms.

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,3})?(?:Z|([+\- ])(\d{2}):(\d{2}))$/i;
/** The milliseconds of a day. */
export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The first millisecond of a day; `undefined` for a text that is no day of the years 1 to 9999. */
export function dayMs(text: string): number | undefined {
  if (!DATE.test(text) || text.startsWith('0000')) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // `Date` takes 2025-02-30 for the second of March.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : ms;
}

/** An instant in its canonical form. */
export function canonicalInstant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** An instant of RFC 3339 with an offset, in its canonical form; a blank before the offset was a plus in the address. */
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

/** Whether a text is a day that there is, of the years 1 to 9999. */
export const isDay = (text: string): boolean => dayMs(text) !== undefined;
