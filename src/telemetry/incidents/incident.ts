import * as z from 'zod';
import type { DeepReadonly } from '../../kernel/deep-readonly.ts';

/**
 * What is wrong. `redis`: a Redis of some roles. `issuer`: the issuer of tokens. `source`, `route`: an upstream. `field`:
 * a field that records of a source lack. `slow`: a source answers, but late. `config`: the files were refused.
 * `gateway`: the gateway itself fails.
 */
export const incidentKinds = [
  'redis',
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

const WITHOUT_CALLS: ReadonlySet<IncidentKind> = new Set(['redis', 'field', 'config', 'gateway']);

/** Whether incidents of a kind count calls; the others are seen by a state, or by answers. */
export const hasCalls = (kind: IncidentKind): boolean => !WITHOUT_CALLS.has(kind);

/** A moment as JSON: milliseconds since the epoch, as far as a date reaches. */
export const timeSchema = z.number().min(0).max(8.64e15);
const count = z.number().min(0);
const counts = z.record(z.string(), count);
const failedOf = z.object({ failed: count, total: count });

/** Incidents are exchanged as JSON, which may be damaged or of another version: names and numbers only. */
export const incidentSchema = z.object({
  kind: z.enum(incidentKinds),
  /** What it is about, such as the name of a source. */
  subject: z.string(),
  /** Why most of its calls failed, in words. */
  cause: z.string(),
  severity: z.enum(['critical', 'warning']),
  /** When its first failure began; a reopening does not change it. */
  since: timeSchema,
  /** When its last failure began, and when it was seen: a call that hangs takes its time. */
  last: timeSchema,
  seen: timeSchema,
  isOpen: z.boolean(),
  /** How often it opened again. */
  reopened: count,
  /** When it became critical, if it was not so from its beginning. */
  worsenedAt: timeSchema.optional(),
  /** The calls until the last failure. */
  calls: failedOf,
  /** Calls that were not sent, because the breaker or a pause forbade it. */
  notSent: count,
  /** The answers of the gateway until the last failure; the failed ones are its effect. */
  answers: failedOf,
  /** Failed answers by caller, and by operation. */
  callers: counts,
  operations: counts,
  /** The labels of the callers' keys, where they have one. */
  labels: z.record(z.string(), z.string()),
  /** Failed answers of callers that are not listed. */
  otherCallers: count,
  /** The calls to each host. */
  hosts: z.record(z.string(), failedOf),
  /** When its breaker last opened; absent: it is closed. */
  breakerAt: timeSchema.optional(),
});

/** Counts of what failed, of all. */
export type FailedOf = DeepReadonly<z.output<typeof failedOf>>;

/** An incident as one process saw it, or as the processes of a fleet did. */
export type Incident = DeepReadonly<z.output<typeof incidentSchema>>;

/** An incident opens after so long, or so many failures. */
export const OPENS_MS = 5_000;
/** So many failures open an incident at once. */
export const FAILURES_TO_OPEN = 5;
/** So long without a failure ends an incident. */
export const QUIET_MS = 60_000;
/** Within this time after its end an incident is the same if it opens again. */
export const SAME_MS = 600_000;
/** The callers of an incident that a process publishes. */
export const LISTED_CALLERS_MAX = 50;
