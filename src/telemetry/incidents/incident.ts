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

/** Counts of what failed, of all. */
export type FailedOf = { readonly failed: number; readonly total: number };

/** An incident as one process saw it, or as the processes of a fleet did: numbers and names only, as JSON. */
export type Incident = {
  readonly kind: IncidentKind;
  /** What it is about, such as the name of a source. */
  readonly subject: string;
  /** Why most of its calls failed, in words. */
  readonly cause: string;
  readonly severity: 'critical' | 'warning';
  /** When its first failure began, milliseconds since the epoch; a reopening does not change it. */
  readonly since: number;
  /** When its last failure began, and when it was seen: a call that hangs takes its time. */
  readonly last: number;
  readonly seen: number;
  readonly isOpen: boolean;
  /** How often it opened again. */
  readonly reopened: number;
  /** When it became critical, if it was not so from its beginning. */
  readonly worsenedAt?: number | undefined;
  /** The calls until the last failure. */
  readonly calls: FailedOf;
  /** Calls that were not sent, because the breaker or a pause forbade it. */
  readonly notSent: number;
  /** The answers of the gateway until the last failure; the failed ones are its effect. */
  readonly answers: FailedOf;
  /** Failed answers by caller, and by operation. */
  readonly callers: Readonly<Record<string, number>>;
  /** The labels of their keys, where they have one. */
  readonly labels: Readonly<Record<string, string>>;
  /** Failed answers of callers that are not listed. */
  readonly otherCallers: number;
  readonly operations: Readonly<Record<string, number>>;
  /** The calls to each host. */
  readonly hosts: Readonly<Record<string, FailedOf>>;
  /** When its breaker last opened; absent: it is closed. */
  readonly breakerAt?: number | undefined;
};

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
