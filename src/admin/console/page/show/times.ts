// Writes times for people, all in UTC as in the log and the audit.

import { spanText, UNKNOWN } from './units.ts';

/** An instant: ISO text, or milliseconds since the epoch. */
export type Instant = string | number | null | undefined;

/** Milliseconds since the epoch; undefined if there is no such instant. */
function epochMs(instant: Instant): number | undefined {
  if (instant === null || instant === undefined) return undefined;
  const ms = typeof instant === 'number' ? instant : Date.parse(instant);
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? ms : undefined;
}

/** The time of day, 14:02:31. */
export function clockText(instant: Instant): string {
  const ms = epochMs(instant);
  return ms === undefined ? UNKNOWN : new Date(ms).toISOString().slice(11, 19);
}

/** The time of day; with the date if it is more than 20 hours from `now`. */
export function timeText(instant: Instant, now: number): string {
  const ms = epochMs(instant);
  if (ms === undefined) return UNKNOWN;
  const iso = new Date(ms).toISOString();
  const isNear = Math.abs(now - ms) < 20 * 3_600_000;
  return isNear ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}

/** How long ago, such as `3 min ago`; `in 2 h` for the future. */
export function agoText(instant: Instant, now: number): string {
  const ms = epochMs(instant);
  if (ms === undefined) return UNKNOWN;
  if (Math.abs(now - ms) < 1000) return 'now';
  return ms > now ? `in ${spanText(ms - now)}` : `${spanText(now - ms)} ago`;
}

/** The whole instant, for a title. */
export function instantText(instant: Instant): string {
  const ms = epochMs(instant);
  return ms === undefined ? UNKNOWN : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Which processes were counted, and since when. */
export function scopeText(
  scope: string | undefined,
  since: Instant,
  processes?: number,
  now: number = Date.now(),
): string {
  const names: Readonly<Record<string, string>> = {
    process: processes === 1 ? 'the one process of this gateway' : 'one process of this gateway',
    workers:
      processes === 1
        ? 'the one process of this gateway'
        : `all ${processes === undefined ? '' : `${processes} `}workers of this gateway`,
    fleet: 'the whole fleet',
  };
  const whom = scope === undefined ? 'this gateway' : (names[scope] ?? scope);
  return since === undefined || since === null
    ? `Of ${whom}`
    : `Of ${whom}, since ${timeText(since, now)} UTC`;
}
