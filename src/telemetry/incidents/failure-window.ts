// Decides from the calls of the last minute whether enough of them fail for an incident, and when the failures began.

import { COUNTED_MIN } from '../conditions/condition.ts';
import { FAILURES_TO_OPEN, OPENS_MS } from './incident.ts';

/** How many seconds are kept: the last minute, and some more. */
const SECONDS = 64;
const SECOND_MS = 1_000;
/**
 * If no call fails for this time and more than this number of calls succeed, a run of failures ends, and earlier failures do
 * not belong to the next run. The time is exact to a second only.
 */
const GAP_SECONDS = 10;
const GAP_CALLS = 10;

/** A failure this long before all others of a state is a stray one. A state is looked at each second. */
const STRAY_MS = 3_000;

/** A run of failures: when it began (ms since the epoch), and how many calls failed, and how many there were, since then. */
export type FailureRun = { readonly since: number; readonly failed: number; readonly total: number };

/**
 * Whether a run is an incident: it lasts long enough or has enough failures, and its failures are at least `shareMin` of its
 * calls. If there were only a few calls in the last minute (`latest`), all calls of the run must fail.
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

/** The part of `run` after its last gap, if only one failure stands before it; two that are so far apart are no run. */
function withoutStray(run: FailureRun, runs: readonly FailureRun[]): FailureRun | undefined {
  const steady = runs.find(({ since }, at) => since - (runs[at + 1]?.since ?? -Infinity) >= STRAY_MS);
  if (steady === undefined || run.failed - steady.failed !== 1) return run;
  return steady.failed > 1 ? steady : undefined;
}

/**
 * How many successful calls of a second began before its first failure, at `at`. A call that was slow to fail ends after calls
 * that began later, so the successful calls are assumed to be spread evenly.
 */
function countBefore(healthy: number, at: number, lastHealthy: number): number {
  const start = Math.floor(at / SECOND_MS) * SECOND_MS;
  const span = Math.min(SECOND_MS, lastHealthy - start + 1);
  return lastHealthy < at ? healthy : Math.floor((healthy * (at - start)) / span);
}

/** Creates the counts of the last seconds, a slot for each. */
function createSlots() {
  const seconds = new Float64Array(SECONDS).fill(-1);
  const failures = new Float64Array(SECONDS);
  const totals = new Float64Array(SECONDS);
  const firsts = new Float64Array(SECONDS);
  /** The calls of a second that began before its first failure. */
  const befores = new Float64Array(SECONDS);

  function slotOf(at: number): number {
    const second = Math.floor(at / SECOND_MS);
    const slot = second % SECONDS;
    if (seconds[slot] !== second) {
      // A call that ends so late that its slot counts a later second now is left out.
      if ((seconds[slot] ?? 0) > second) return -1;
      seconds[slot] = second;
      failures[slot] = totals[slot] = firsts[slot] = befores[slot] = 0;
    }
    return slot;
  }

  return { seconds, failures, totals, firsts, befores, slotOf };
}

/**
 * Creates the window. `shareMin`: if a smaller share of the calls fails, it is no incident. `totalSince`: the number of all
 * calls since a moment, for a window that sees only the calls that fail. `isState`: a state is looked at, so it is not by chance
 * that some time passes without a failure.
 */
export function createFailureWindow(
  shareMin: number,
  totalSince: ((since: number) => number) | undefined,
  isState: boolean,
) {
  const { seconds, failures, totals, firsts, befores, slotOf } = createSlots();
  let lastHealthy = -Infinity;

  /** The possible runs of failures: one begins at each second with a failure, the latest first. `latest`: all calls. */
  function runsUntil(now: number): { readonly runs: readonly FailureRun[]; readonly latest: number } {
    const runs: FailureRun[] = [];
    const last = Math.floor(now / SECOND_MS);
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
     * The run of failures that is an incident now. Single earlier failures are not part of it: among all runs that are
     * incidents, it is the longest run with at least half the failure share of the worst run.
     */
    incidentAt(now: number): FailureRun | undefined {
      const { runs, latest } = runsUntil(now);
      const found = runs.filter((run) => isIncident(run, latest, now, shareMin));
      const worst = Math.max(...found.map(({ failed, total }) => failed / total));
      const longest = found.findLast(({ failed, total }) => failed / total >= worst / 2);
      return longest !== undefined && isState ? withoutStray(longest, runs) : longest;
    },
    /** How many calls failed, and how many did not, since a moment of the last minute (ms since the epoch). */
    countsSince(ms: number): { readonly failed: number; readonly healthy: number } {
      const from = Math.floor(ms / SECOND_MS);
      const sumOf = (counts: Float64Array) =>
        counts.reduce((sum, count, slot) => ((seconds[slot] ?? 0) < from ? sum : sum + count), 0);
      const failed = sumOf(failures);
      return { failed, healthy: sumOf(totals) - failed };
    },
    clear: () => void seconds.fill(-1),
  };
}
