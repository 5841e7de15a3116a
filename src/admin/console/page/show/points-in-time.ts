// Reads points in time from addresses, and splits counts at one, so that the views of audit, configuration and quality show
// what has changed since.

import type { Tone } from './tones.ts';
import { countText } from './units.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Reads a point in time of an address, in UTC, as milliseconds since the epoch: `14:02` for the last time that the clock
 * showed it, `2026-11-22T14:02`, or a whole instant. `undefined` for anything else.
 */
export function readPoint(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d\d:\d\d$/.test(text)) {
    const today = Date.parse(`${new Date(now).toISOString().slice(0, 10)}T${text}Z`);
    return Number.isNaN(today) ? undefined : today > now ? today - DAY_MS : today;
  }
  const ms = Date.parse(/T\d\d:\d\d$/.test(text) ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** A point in time as a field of a form has it: `2026-11-22T14:02`, in UTC. */
export function pointText(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString().slice(0, 16);
}

/** Counts per hour before and since a point in time; null if nobody counted. */
export type BeforeAndSince = { readonly before: number | null; readonly since: number | null };

/** Splits counts at a point in time; `at` says when each interval begins. The interval with the point in time counts as since. */
export function beforeAndSince(
  counts: readonly (number | null)[] | undefined,
  { at, stepMs }: { readonly at: readonly number[]; readonly stepMs: number },
  pointMs: number,
): BeforeAndSince {
  const perHour = (isWanted: (start: number) => boolean) => {
    const known = (counts ?? []).filter((count, index) => count !== null && isWanted(at[index] ?? 0));
    const sum = known.reduce<number>((all, count) => all + (count ?? 0), 0);
    return known.length === 0 ? null : (sum * HOUR_MS) / (known.length * stepMs);
  };
  const first = Math.floor(pointMs / stepMs) * stepMs;
  return { before: perHour((start) => start < first), since: perHour((start) => start >= first) };
}

/** A count is worse only if it grows by more than this factor, because counts follow the traffic. */
const CLEARLY = 2;

/** How a field has changed since the point in time, in a word; a larger `order` is worse. */
export function changeOf({ before, since }: BeforeAndSince): {
  readonly tone: Tone;
  readonly word: string;
  readonly order: number;
} {
  if (since === null) return { tone: 'idle', word: 'nobody counted', order: -1 };
  if (before === null) return { tone: 'idle', word: 'nobody counted before', order: since > 0 ? 1 : 0 };
  if (before === 0 && since > 0) return { tone: 'bad', word: 'began since then', order: 4 };
  if (since > CLEARLY * before) return { tone: 'bad', word: 'worse', order: 3 };
  if (since * CLEARLY < before) return { tone: 'good', word: 'better', order: 0 };
  return { tone: 'idle', word: before === 0 ? 'none' : 'as before', order: since > 0 ? 2 : 0 };
}

/** The counts in words, such as `120/h, before 4/h`. */
export function beforeAndSinceText({ before, since }: BeforeAndSince): string {
  return `${countText(since)}/h, before ${countText(before)}/h`;
}
