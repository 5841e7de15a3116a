// Lists the runs of an incident that opened again, because each may have had another cause, and joins what several processes saw
// of them.

import { isSameCause } from './failure-words.ts';
import { hasCalls, type Incident, type PastRun, QUIET_MS, SAME_MS } from './incident.ts';

/** Joins two counts of the same thing. */
export type Join = (one: number, other: number) => number;

/** So many runs of an incident are told. */
const RUNS_MAX = 5;

/** When an incident opened first. */
export const firstOf = ({ since, firstAt }: Incident): number => firstAt ?? since;

/** Whether two views are of one incident. What begins after a quiet minute is the same only if it has a cause of the same kind. */
export const isSame = (one: Incident, other: Incident): boolean =>
  one.kind === other.kind &&
  one.subject === other.subject &&
  Math.max(firstOf(one), firstOf(other)) <=
    Math.min(one.last, other.last) + (isSameCause(one.cause, other.cause) ? SAME_MS : QUIET_MS);

/** The runs of an incident, the latest first. */
export function runsOf(incident: Incident): readonly PastRun[] {
  const { kind, cause, since, last, calls, operations, earlier = [] } = incident;
  const affected = Object.values(operations).reduce((sum, count) => sum + count, 0);
  const failed = hasCalls(kind) ? calls.failed : affected;
  return [{ cause, since, until: last, failed }, ...earlier].slice(0, RUNS_MAX);
}

/**
 * Whether the later of two begins a new run: all was quiet for a minute before it, or the earlier one has ended. While that one
 * is open, its process has seen no quiet minute, so what fails goes on with it, although another process had ended its own.
 */
export const isNextRun = (earlier: Incident, later: Incident): boolean =>
  later.since > earlier.last && (later.since - earlier.last >= QUIET_MS || !earlier.isOpen);

/** Whether two processes have seen the same run: between what they saw there was no minute without a failure. */
const isSameRun = (one: PastRun, other: PastRun): boolean =>
  one.since - other.until < QUIET_MS && other.since - one.until < QUIET_MS;

const joinRun = (one: PastRun, other: PastRun, how: Join): PastRun => ({
  cause: one.failed > other.failed ? one.cause : other.cause,
  since: Math.min(one.since, other.since),
  until: Math.max(one.until, other.until),
  failed: how(one.failed, other.failed),
});

/**
 * Joins two views of the runs before `since`, and `how` joins the counts of a run that both have. Runs that overlap are one:
 * some process has seen no quiet minute between them.
 */
export function joinRuns(
  ones: readonly PastRun[],
  others: readonly PastRun[],
  since: number,
  how: Join,
): readonly PastRun[] {
  const rest = [...others];
  const joined = ones.map((one) => {
    const at = rest.findIndex((other) => isSameRun(one, other));
    const [other] = at === -1 ? [] : rest.splice(at, 1);
    return other === undefined ? one : joinRun(one, other, how);
  });
  const runs: PastRun[] = [];
  for (const run of [...joined, ...rest].sort((a, b) => b.since - a.since)) {
    const later = runs.at(-1);
    if (later !== undefined && later.since <= run.until) runs[runs.length - 1] = joinRun(later, run, how);
    else if (run.until <= since) runs.push(run);
  }
  return runs.slice(0, RUNS_MAX);
}

/** How often an incident with these earlier runs has opened again; `told`: how often processes say, as only the latest are kept. */
export const reopenedOf = (earlier: readonly PastRun[], told: number): number =>
  earlier.length < RUNS_MAX ? earlier.length : told;
