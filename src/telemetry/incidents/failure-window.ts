import { COUNTED_MIN } from '../conditions/condition.ts';
import { FAILURES_TO_OPEN, OPENS_MS } from './incident.ts';

const SECONDS = 64;
const MS = 1_000;
/**
 * So long a time in which more than so many calls succeed ends a run: what failed before is another matter. It is told to
 * the second, and a call that fails began a moment before the fault was seen.
 */
const GAP_SECONDS = 10;
const GAP_CALLS = 10;

/** Where a run of failures began, and what was counted since. */
export type FailureRun = { readonly since: number; readonly failed: number; readonly total: number };

/**
 * Whether a run is an incident: it lasts or has enough failures, and is no small part of the latest calls. If the last
 * minute had few calls, all of the run must fail.
 */
function isIncident(
  { since, failed, total }: FailureRun,
  latest: number,
  now: number,
  shareMin: number,
): boolean {
  const lasts = now - since >= OPENS_MS;
  if (failed < 2) return false;
  if (latest < COUNTED_MIN) return lasts && failed === total;
  return failed / Math.max(total, COUNTED_MIN) >= shareMin && (lasts || failed >= FAILURES_TO_OPEN);
}

/**
 * Of the calls of a second so far, those that began before its first failure. One that was slow to fail ends behind calls
 * that began later: those are taken to be spread evenly.
 */
function countBefore(healthy: number, at: number, lastHealthy: number): number {
  const start = Math.floor(at / MS) * MS;
  const span = Math.min(MS, lastHealthy - start + 1);
  return lastHealthy < at ? healthy : Math.floor((healthy * (at - start)) / span);
}

/**
 * Creates the window. `shareMin`: fewer failures than this part of the calls are no incident. `totalSince`: what all calls
 * since a moment were, where the window sees only those that fail.
 */
export function createFailureWindow(shareMin: number, totalSince?: (since: number) => number) {
  const seconds = new Float64Array(SECONDS).fill(-1);
  const failures = new Float64Array(SECONDS);
  const totals = new Float64Array(SECONDS);
  const firsts = new Float64Array(SECONDS);
  /** The calls of a second that began before its first failure. */
  const befores = new Float64Array(SECONDS);
  let lastHealthy = -Infinity;

  function slotOf(at: number): number {
    const second = Math.floor(at / MS);
    const slot = second % SECONDS;
    if (seconds[slot] !== second) {
      // A late end of a call from before what this slot counts now is left out.
      if ((seconds[slot] ?? 0) > second) return -1;
      seconds[slot] = second;
      failures[slot] = totals[slot] = firsts[slot] = befores[slot] = 0;
    }
    return slot;
  }

  /** The runs of failures that may have begun: one for each second with a failure, the latest first. */
  function runsUntil(now: number): { readonly runs: readonly FailureRun[]; readonly latest: number } {
    const runs: FailureRun[] = [];
    const last = Math.floor(now / MS);
    let [failed, total, healthy, gapFrom, isBroken] = [0, 0, 0, last, false];
    for (let second = last; second > last - SECONDS; second -= 1) {
      const slot = second % SECONDS;
      if (seconds[slot] !== second) continue;
      failed += failures[slot] ?? 0;
      total += totals[slot] ?? 0;
      healthy += (totals[slot] ?? 0) - (failures[slot] ?? 0);
      if (isBroken || (failures[slot] ?? 0) === 0) continue;
      isBroken = gapFrom - second >= GAP_SECONDS && healthy > GAP_CALLS && runs.length > 0;
      if (isBroken) continue;
      [healthy, gapFrom] = [0, second];
      const since = firsts[slot] ?? now;
      runs.push({ since, failed, total: Math.max(total - (befores[slot] ?? 0), totalSince?.(since) ?? 0) });
    }
    return { runs, latest: Math.max(total, runs.at(-1)?.total ?? 0) };
  }

  return {
    /** Counts a call that began at a moment. */
    add(at: number, isFailed: boolean): void {
      const slot = slotOf(at);
      if (slot < 0) return;
      const isFirst = isFailed && (failures[slot] ?? 0) === 0;
      if (isFirst) befores[slot] = countBefore(totals[slot] ?? 0, at, lastHealthy);
      totals[slot] = (totals[slot] ?? 0) + 1;
      if (!isFailed) {
        lastHealthy = at;
        if (at < (firsts[slot] ?? 0)) befores[slot] = (befores[slot] ?? 0) + 1;
        return;
      }
      if (isFirst || at < (firsts[slot] ?? at)) firsts[slot] = at;
      failures[slot] = (failures[slot] ?? 0) + 1;
    },
    /**
     * The run of failures that is an incident now. Single failures from before its beginning are not part of it: of all
     * runs, the longest counts that has at least half the share of the worst one.
     */
    incidentAt(now: number): FailureRun | undefined {
      const { runs, latest } = runsUntil(now);
      const found = runs.filter((run) => isIncident(run, latest, now, shareMin));
      const worst = Math.max(...found.map(({ failed, total }) => failed / total));
      return found.findLast(({ failed, total }) => failed / total >= worst / 2);
    },
    /** The calls since a moment of the last minute that did not fail. */
    healthySince(ms: number): number {
      const from = Math.floor(ms / MS);
      let healthy = 0;
      for (let slot = 0; slot < SECONDS; slot += 1)
        if ((seconds[slot] ?? 0) >= from) healthy += (totals[slot] ?? 0) - (failures[slot] ?? 0);
      return healthy;
    },
    clear: () => void seconds.fill(-1),
  };
}
