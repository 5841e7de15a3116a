// Lists the runs of an incident that opened again, because each may have had another cause, and joins what several processes saw
// of them.

import { hasCalls, type Incident, type PastRun, QUIET_MS } from './incident.ts';

/** Joins two counts of the same thing. */
export type Join = (one: number, other: number) => number;

/** So many runs of an incident are told. */
const RUNS_MAX = 5;

/** The runs of an incident, the latest first. */
export function runsOf(incident: Incident): readonly PastRun[] {
  const { kind, cause, since, last, calls, operations, earlier = [] } = incident;
  const affected = Object.values(operations).reduce((sum, count) => sum + count, 0);
  const failed = hasCalls(kind) ? calls.failed : affected;
  return [{ cause, since, until: last, failed }, ...earlier].slice(0, RUNS_MAX);
}

/** Whether two processes have seen the same run: between what they saw there was no minute without a failure. */
const isSameRun = (one: PastRun, other: PastRun): boolean =>
  one.since - other.until < QUIET_MS && other.since - one.until < QUIET_MS;

/** Joins two views of the runs before `since`, and `how` joins the counts of a run that both have. */
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
    if (other === undefined) return one;
    return {
      cause: one.failed > other.failed ? one.cause : other.cause,
      since: Math.min(one.since, other.since),
      until: Math.max(one.until, other.until),
      failed: how(one.failed, other.failed),
    };
  });
  return [...joined, ...rest]
    .filter(({ until }) => until <= since)
    .sort((a, b) => b.since - a.since)
    .slice(0, RUNS_MAX);
}
