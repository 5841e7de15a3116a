// Merges the incidents that the processes of a fleet see, so that each incident has one id and is told to receivers once.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { DeepReadonly } from '../../kernel/deep-readonly.ts';
import { type Incident, incidentSchema, timeSchema } from './incident.ts';
import { firstOf, isNextRun, isSame, type Join, joinRuns, reopenedOf, runsOf } from './past-runs.ts';

const events = z.enum(['opened', 'worsened', 'ended']);

/** The events of an incident that are sent to receivers of webhooks. */
export type IncidentEvent = z.output<typeof events>;

/** The schema of a list that leaves out values that do not fit, so that a damaged or newer value does not lose the others. */
const thoseThatFit = <Schema extends z.ZodType>(schema: Schema) =>
  z.array(z.unknown()).transform((all) =>
    all.flatMap((one) => {
      const { success, data } = schema.safeParse(one);
      return success ? [data] : [];
    }),
  );

/** The start of a process, such as `host-1:4711`. */
const start = z.object({ process: z.string(), version: z.string(), startedAt: timeSchema });

const processIncidents = start.extend({ incidents: thoseThatFit(incidentSchema) });

/** `gateway`: a random name of the process. `at`: when this was written, in ms since the epoch. */
const gatewayIncidents = z.object({
  ...{ gateway: z.string(), at: timeSchema },
  processes: thoseThatFit(processIncidents),
});

const fleetIncident = incidentSchema.extend({
  id: z.string(),
  /** The processes that saw the incident and had started shortly before it. */
  starts: z.array(start),
  /** When receivers were last told of the incident, by event, in ms since the epoch. */
  told: z.partialRecord(events, timeSchema),
});

const knownIncidents = thoseThatFit(fleetIncident);

/** The incidents that one process sees. */
export type ProcessIncidents = DeepReadonly<z.output<typeof processIncidents>>;

/** The incidents that the processes of one gateway see, as it writes them for the other gateways. */
export type GatewayIncidents = DeepReadonly<z.output<typeof gatewayIncidents>>;

/** An incident of a fleet. It has the same id in every process, and the id never changes. */
export type FleetIncident = DeepReadonly<z.output<typeof fleetIncident>>;

/** Parses what a gateway wrote; `undefined` if it does not fit. */
export const readGatewayIncidents = (value: unknown): GatewayIncidents | undefined =>
  gatewayIncidents.safeParse(value).data;

/** Parses the merged incidents of a fleet, without those that do not fit. */
export const readKnownIncidents = (value: unknown): readonly FleetIncident[] =>
  knownIncidents.safeParse(value).data ?? [];

/** Whose incidents are meant: those of this process, of all workers of this gateway, or of the fleet. */
export type IncidentScope = 'process' | 'workers' | 'fleet';

/** The incidents that a process knows, and whose they are. */
export type ScopedIncidents = { readonly scope: IncidentScope; readonly incidents: readonly FleetIncident[] };

/** What the processes of a gateway see. `silent`: the process ids of the workers that do not answer. */
export type SeenIncidents = {
  readonly processes: readonly ProcessIncidents[];
  readonly silent: readonly number[];
};

/** The incidents as they are read for a person. Those of a worker that does not answer are from its last answer. */
export type IncidentReading = ScopedIncidents & Pick<SeenIncidents, 'silent'>;

/** Starts of processes and changes within this time before an incident may be its reason. */
export const BEFORE_MS = 15 * 60_000;
/** How long ended incidents are kept, in milliseconds. */
export const ENDED_KEPT_MS = 24 * 3_600_000;
const INCIDENTS_MAX = 200;
const TOLD_MS = 60_000;
const STARTS_MAX = 10;

/** An id that may stand in a URL: the kind, the subject (with a digest if it was changed), and the second of its beginning. */
function incidentId(incident: Incident): string {
  const { kind, subject } = incident;
  const plain = subject.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 60);
  const digest = createHash('sha256').update(subject).digest('hex').slice(0, 6);
  const name = /^[A-Za-z0-9-]{1,60}$/.test(subject) ? plain : `${plain}-${digest}`;
  return `${kind}-${name}-${Math.floor(firstOf(incident) / 1_000).toString(36)}`;
}

type Counts = { readonly [name: string]: number | Counts };

/** Joins counts by name, nested ones, too. A count that only one of the two has is taken as it is. */
function joinCounts<T extends Counts>(one: T, other: T, how: Join): T {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const joined = [...names].map((name) => {
    const [left, right] = [one, other].map((counts) =>
      Object.hasOwn(counts, name) ? counts[name] : undefined,
    );
    if (typeof left === 'object' && typeof right === 'object') return [name, joinCounts(left, right, how)];
    return [name, typeof left === 'number' && typeof right === 'number' ? how(left, right) : (left ?? right)];
  });
  return Object.fromEntries(joined) as T;
}

const countsOf = ({
  calls,
  notSent,
  answers,
  callers,
  otherCallers,
  operations,
  hosts,
  ...of
}: Incident) => ({
  ...{ calls, notSent, answers, callers, otherCallers, operations, hosts, breakers: of.breakers ?? {} },
});

const earliest = (one = Infinity, other = Infinity): number | undefined => {
  const first = Math.min(one, other);
  return first === Infinity ? undefined : first;
};

/** Joins two views of one incident. Its latest run begins at the earlier time, and `how` joins the counts. */
function join(one: Incident, other: Incident, how: Join): Incident {
  const firstAt = Math.min(firstOf(one), firstOf(other));
  const [earlier, later] = one.since <= other.since ? [one, other] : [other, one];
  if (isNextRun(earlier, later)) {
    const runs = joinRuns(later.earlier ?? [], runsOf(earlier), later.since, how);
    const reopened = reopenedOf(runs, Math.max(earlier.reopened + 1, later.reopened));
    return { ...later, firstAt, reopened, earlier: runs };
  }
  const runs = joinRuns(one.earlier ?? [], other.earlier ?? [], earlier.since, how);
  const failedIn = ({ calls, answers }: Incident) => calls.failed + answers.failed;
  return {
    ...(failedIn(one) >= failedIn(other) ? one : other),
    ...joinCounts(countsOf(one), countsOf(other), how),
    severity: one.severity === 'critical' ? 'critical' : other.severity,
    since: Math.min(one.since, other.since),
    last: Math.max(one.last, other.last),
    seen: Math.max(one.seen, other.seen),
    isOpen: one.isOpen || other.isOpen,
    reopened: reopenedOf(runs, Math.max(one.reopened, other.reopened)),
    earlier: runs,
    firstAt,
    worsenedAt: earliest(one.worsenedAt, other.worsenedAt),
    labels: { ...one.labels, ...other.labels },
    breakerAt: Math.max(one.breakerAt ?? 0, other.breakerAt ?? 0) || undefined,
  };
}

/** Merges the incidents of several processes to one incident for each kind and subject. */
export function mergeIncidents(seen: readonly Incident[]): readonly Incident[] {
  const merged: Incident[] = [];
  for (const one of seen) {
    const at = merged.findIndex((other) => isSame(one, other));
    const other = merged[at];
    if (other === undefined) merged.push(one);
    else merged[at] = join(other, one, (left, right) => left + right);
  }
  return merged;
}

/** The processes that started shortly before an incident, the latest first: the `known` ones, and those that see it now. */
function startsBefore(
  { since }: Incident,
  processes: readonly ProcessIncidents[],
  known: FleetIncident['starts'] = [],
): FleetIncident['starts'] {
  const isNew = ({ process }: ProcessIncidents) => !known.some((one) => one.process === process);
  const found = processes
    .filter((one) => isNew(one) && one.startedAt <= since)
    .map(({ process, version, startedAt }) => ({ process, version, startedAt }));
  return [...known, ...found]
    .filter(({ startedAt }) => since - startedAt <= BEFORE_MS)
    .sort((a, b) => b.startedAt - a.startedAt)
    .slice(0, STARTS_MAX);
}

/** As many incidents as a fleet keeps: the open ones first, and the latest first. */
export function mostUrgent<T extends Incident>(incidents: readonly T[]): readonly T[] {
  return incidents
    .toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen) || b.since - a.since)
    .slice(0, INCIDENTS_MAX);
}

/** Updates the incidents of a fleet from those that its processes see now. If a process ends, its counts stay. */
export function updateFleetIncidents(
  known: readonly FleetIncident[],
  processes: readonly ProcessIncidents[],
  now: number,
): readonly FleetIncident[] {
  const current = mergeIncidents(processes.flatMap(({ incidents }) => incidents));
  const before = known.map((one): FleetIncident => {
    const found = current.find((other) => isSame(one, other));
    // No process sees the incident any more, because the processes have ended or have forgotten it.
    if (found === undefined) return { ...one, isOpen: false };
    const { id, told } = one;
    const { isOpen, breakerAt, breakers } = found;
    const joined = join(one, found, Math.max);
    const cause = isNextRun(found, one) ? one.cause : found.cause;
    const starts = startsBefore(joined, processes, one.starts);
    // What a new run does not have, such as when it worsened, is not that of the run before.
    return { ...joined, id, told, isOpen, cause, breakerAt, breakers, starts };
  });
  const fresh = current
    .filter((one) => !known.some((other) => isSame(one, other)))
    .map((one): FleetIncident => ({
      ...one,
      id: incidentId(one),
      starts: startsBefore(one, processes),
      told: {},
    }));
  return mostUrgent([...fresh, ...before].filter(({ isOpen, last }) => isOpen || now - last < ENDED_KEPT_MS));
}

/** Adds the incidents that this process kept while Redis was out of reach (`kept`) to those in Redis (`known`). */
export function withKept(
  known: readonly FleetIncident[],
  kept: readonly FleetIncident[],
): readonly FleetIncident[] {
  const isKnown = (one: FleetIncident) => known.some((other) => isSame(one, other));
  const both = known.map((one) => {
    const other = kept.find((own) => isSame(one, own));
    return other === undefined ? one : { ...one, told: joinCounts<Counts>(one.told, other.told, Math.max) };
  });
  return [...both, ...kept.filter((one) => !isKnown(one))];
}

/** The event that must be sent: a change that receivers were not told of, if none of its kind was sent within a minute. */
function dueEvent({ isOpen, told, worsenedAt }: FleetIncident, now: number): IncidentEvent | undefined {
  const { opened = -Infinity, worsened = -Infinity, ended = -Infinity } = told;
  const isRested = (at: number) => now - at >= TOLD_MS;
  if (isOpen && opened <= ended) return isRested(opened) ? 'opened' : undefined;
  if (isOpen && worsenedAt !== undefined && worsened === -Infinity) return 'worsened';
  if (!isOpen && opened > ended) return isRested(ended) ? 'ended' : undefined;
  return undefined;
}

/** Returns the events that must be sent now, and the incidents with a note that these events were sent. */
export function tellIncidents(
  incidents: readonly FleetIncident[],
  now: number,
): {
  readonly incidents: readonly FleetIncident[];
  readonly due: readonly (readonly [IncidentEvent, FleetIncident])[];
} {
  const due: (readonly [IncidentEvent, FleetIncident])[] = [];
  const noted = incidents.map((incident) => {
    const event = dueEvent(incident, now);
    if (event === undefined) return incident;
    due.push([event, incident]);
    return { ...incident, told: { ...incident.told, [event]: now } };
  });
  return { incidents: noted, due };
}
