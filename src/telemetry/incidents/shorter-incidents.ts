// Lists fewer callers and hosts of incidents until the text that a gateway writes for its fleet is short enough for Redis.

import { type GatewayIncidents, mergeIncidents, mostUrgent } from './fleet-incidents.ts';
import type { Incident } from './incident.ts';

/** How many callers and hosts of each incident are listed, ever fewer. */
const LISTED = [50, 10, 0];

/** The entries with the highest counts, and the others. */
function largest<T>(of: Readonly<Record<string, T>>, most: number, countOf: (one: T) => number) {
  const sorted = Object.entries(of).sort(([, one], [, other]) => countOf(other) - countOf(one));
  return [Object.fromEntries(sorted.slice(0, most)), sorted.slice(most)] as const;
}

/** Lists fewer callers and hosts. The failed answers of the others still count, and `calls` has those to all hosts. */
function withFewer(incident: Incident, most: number): Incident {
  const [callers, others] = largest(incident.callers, most, (count) => count);
  const [hosts] = largest(incident.hosts, most, ({ total }) => total);
  const labels = Object.entries(incident.labels).filter(([caller]) => Object.hasOwn(callers, caller));
  return {
    ...incident,
    ...{ callers, hosts, labels: Object.fromEntries(labels) },
    otherCallers: others.reduce((sum, [, count]) => sum + count, incident.otherCallers),
  };
}

/**
 * What a gateway sees, ever shorter: each incident once for all of its processes, as those who read it put it together anyway;
 * then with fewer callers and hosts, and no more incidents than a fleet keeps.
 */
export function* shorterIncidents(seen: GatewayIncidents): Generator<GatewayIncidents> {
  yield seen;
  const incidents = mergeIncidents(seen.processes.flatMap((one) => one.incidents));
  const told = (all: readonly Incident[]): GatewayIncidents => ({
    ...seen,
    processes: seen.processes.map((one, at) => ({ ...one, incidents: at === 0 ? all : [] })),
  });
  yield told(incidents);
  const urgent = mostUrgent(incidents);
  for (const most of LISTED) yield told(urgent.map((one) => withFewer(one, most)));
}
