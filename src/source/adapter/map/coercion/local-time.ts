// Converts times without an offset to instants, for the step `date`. It keeps the offsets of days, because luxon takes long.

import { DateTime, FixedOffsetZone } from 'luxon';

/** Converts a local time in a zone to an instant. The argument is the same wall-clock time in UTC. */
export type LocalTime = (shownMs: number) => {
  readonly ms: number;
  /** False if the zone's clocks skipped that time; `ms` is then the instant of the change. */
  readonly exists: boolean;
};

const DAY_MS = 86_400_000;
/** The most days in the cache. Texts of a source can name any day, so the cache needs a limit. */
const DAYS_MAX = 4_096;
/** The offset is sampled twice a day, because no zone has ever changed its clocks and back within half a day. */
const SAMPLE_INTERVAL_MS = DAY_MS / 2;

/** Compiles a zone: UTC, an offset such as +02:00, or an IANA zone. */
export function compileLocalTime(zone: string): LocalTime {
  const where = /^[+-]/.test(zone) ? `UTC${zone}` : zone;
  const fixed = FixedOffsetZone.parseSpecifier(where) as FixedOffsetZone | null;
  if (fixed !== null) {
    const offsetMs = fixed.offset(0) * 60_000;
    return (shownMs) => ({ ms: shownMs - offsetMs, exists: true });
  }

  /** The offset of a day, if the days beside it have the same one; `undefined` if it changes or is no whole minute. */
  function steadyOffset(dayMs: number): number | undefined {
    const at = DateTime.fromMillis(dayMs - DAY_MS, { zone: where });
    if (!at.isValid || !Number.isInteger(at.offset)) return undefined;
    for (let ms = dayMs - DAY_MS; ms <= dayMs + 2 * DAY_MS; ms += SAMPLE_INTERVAL_MS)
      if (at.zone.offset(ms) !== at.offset) return undefined;
    return at.offset * 60_000;
  }

  function convertWithLuxon(shownMs: number): ReturnType<LocalTime> {
    const shown = DateTime.fromMillis(shownMs, { zone: 'utc' });
    const date = shown.setZone(where, { keepLocalTime: true });
    return {
      ms: date.toMillis(),
      exists: date.hour === shown.hour && date.minute === shown.minute,
    };
  }

  const offsets = new Map<number, number | undefined>();
  return function localTime(shownMs) {
    const dayMs = Math.floor(shownMs / DAY_MS) * DAY_MS;
    let offsetMs = offsets.get(dayMs);
    if (offsetMs === undefined && !offsets.has(dayMs)) {
      offsetMs = steadyOffset(dayMs);
      if (offsets.size >= DAYS_MAX) offsets.clear();
      offsets.set(dayMs, offsetMs);
    }
    return offsetMs === undefined ? convertWithLuxon(shownMs) : { ms: shownMs - offsetMs, exists: true };
  };
}
