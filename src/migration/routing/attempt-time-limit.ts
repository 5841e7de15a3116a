// Decides how long the new source may take for a caller before the legacy source is asked in its place.

/** The new source gets at most half of the time, so that the legacy one has the other half. */
const DEADLINE_SHARE = 0.5;
/** So many times longer than nearly all calls of the legacy source: a caller waits no longer for nothing. */
const TIMES_LEGACY = 3;
/** A pause of this process must not look like a failure of the source, however fast both sources are. */
const LIMIT_MS_MIN = 500;

/**
 * Milliseconds for a call at the new source. `legacyP99Ms`: what 99 % of the calls of the legacy source take at most, absent
 * where too little is known; `slackMs`: by how much the gate lets the new source be slower.
 */
export function attemptLimitMs(deadlineMs: number, legacyP99Ms: number | undefined, slackMs: number): number {
  const mostMs = deadlineMs * DEADLINE_SHARE;
  if (legacyP99Ms === undefined) return mostMs;
  return Math.min(mostMs, Math.max(LIMIT_MS_MIN, TIMES_LEGACY * (legacyP99Ms + slackMs)));
}
