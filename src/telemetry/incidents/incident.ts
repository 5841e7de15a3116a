// The form of an incident: one thing that is wrong, with its cause, its times and the calls and answers that failed.

import * as z from 'zod';
import type { DeepReadonly } from '../../kernel/deep-readonly.ts';

/**
 * What may be wrong. `redis`: a Redis of some roles. `keys`: the Redis of keys has lost its data. `issuer`: the token issuer.
 * `source`, `route`: an upstream fails.
 * `field`: many records of a source suddenly lack a field. `slow`: a source answers, but late. `config`: the configuration
 * files were refused. `gateway`: the gateway itself fails (subject
 * `answers`), or gets too little CPU from its machine (the subject).
 */
export const incidentKinds = [
  'redis',
  'keys',
  'issuer',
  'source',
  'route',
  'field',
  'slow',
  'config',
  'gateway',
] as const;

/** The kind of an incident. */
export type IncidentKind = (typeof incidentKinds)[number];

/** Whether an incident is about a machine that gives the gateway too little CPU. */
export const isStarved = ({ kind, subject }: Pick<Incident, 'kind' | 'subject'>): boolean =>
  kind === 'gateway' && subject !== 'answers';

const WITHOUT_CALLS: ReadonlySet<IncidentKind> = new Set(['redis', 'keys', 'field', 'config', 'gateway']);

/** Whether incidents of a kind count calls; incidents of other kinds are found by a state, or by answers. */
export const hasCalls = (kind: IncidentKind): boolean => !WITHOUT_CALLS.has(kind);

/** A moment as JSON: milliseconds since the epoch, up to the last instant of a Date. */
export const timeSchema = z.number().min(0).max(8.64e15);
const count = z.number().min(0);
const counts = z.record(z.string(), count);
const failedOf = z.object({ failed: count, total: count });
/** `failed`: the calls that failed; of a kind that counts no calls, the affected answers. */
const pastRun = z.object({ cause: z.string(), since: timeSchema, until: timeSchema, failed: count });

/** The schema of an incident. Processes exchange incidents as JSON, which may be damaged or of another version. */
export const incidentSchema = z.object({
  kind: z.enum(incidentKinds),
  /** What the incident is about, such as the name of a source. */
  subject: z.string(),
  /** Why most of the calls failed, in words. */
  cause: z.string(),
  severity: z.enum(['critical', 'warning']),
  /** When the first failure of the latest run began; the causes, counts and callers are of this run, too. */
  since: timeSchema,
  /** When the first run began, if the incident opened again. */
  firstAt: timeSchema.optional(),
  /** When the last failure began. */
  last: timeSchema,
  /** When the last failure was seen, which is later for a call that hangs. */
  seen: timeSchema,
  isOpen: z.boolean(),
  /** How often the incident opened again. */
  reopened: count,
  /** The runs before the latest one, the latest first; absent: there are none. */
  earlier: z.array(pastRun).optional(),
  /** When the incident became critical; absent if it was critical from its beginning, or is not. */
  worsenedAt: timeSchema.optional(),
  /** The calls until the last failure. */
  calls: failedOf,
  /** Calls that were not sent, because the breaker was open or the source had asked for a pause. */
  notSent: count,
  /** The answers of the gateway until the last failure; `failed`: those that the incident made fail. */
  answers: failedOf,
  /** Failed answers by caller, and by operation; of a slow source slow ones, too. */
  callers: counts,
  operations: counts,
  /** The labels of the callers' keys, by the ids of the callers. */
  labels: z.record(z.string(), z.string()),
  /** The same of callers that are not listed. */
  otherCallers: count,
  /** The calls to each host. */
  hosts: z.record(z.string(), failedOf),
  /** When the source's breaker last opened; absent: it is closed. */
  breakerAt: timeSchema.optional(),
  /** In how many processes the source's breaker is `open`, `half_open` or `closed`. */
  breakers: counts.optional(),
});

/** How many calls or answers failed, and how many there were. */
export type FailedOf = DeepReadonly<z.output<typeof failedOf>>;

/** One run of an incident: from its first failure to its last one, before a minute without any. */
export type PastRun = DeepReadonly<z.output<typeof pastRun>>;

/** An incident as one process saw it, or merged from all processes of a fleet. */
export type Incident = DeepReadonly<z.output<typeof incidentSchema>>;

/** An incident opens when failures have lasted for this time. */
export const OPENS_MS = 5_000;
/** This number of failures opens an incident at once. */
export const FAILURES_TO_OPEN = 5;
/** An incident ends after this time without a failure. */
export const QUIET_MS = 60_000;
/** If the same thing fails again within this time after an incident's end, the incident opens again. */
export const SAME_MS = 600_000;
/** How many callers of an incident a process publishes; the others are only counted. */
export const LISTED_CALLERS_MAX = 50;
