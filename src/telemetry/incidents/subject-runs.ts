// The runs of all subjects of this process, and which of them is the root cause of an answer that failed.

import { isForLostKey, type RequestLogFields } from '../requests/recent-requests.ts';
import { createIncidentRun, type IncidentRun } from './incident-run.ts';
import type { IncidentKind } from './incident.ts';

/**
 * An answer with a status from 500 on, 401 for a lost key, a slow one, or one whose caller left after as long a time (`null`).
 * `source`: the upstream that the error names.
 */
export type HarmedAnswer = Pick<RequestLogFields, 'status' | 'code' | 'source' | 'caller' | 'operation'>;

/** What a tracker asks a process that serves requests. The functions are called each time, because a reload changes results. */
export type TrackedServing = {
  /** How many requests this process has answered so far. */
  readonly answered: () => number;
  /** For how long this process has stood still so far, in milliseconds. */
  readonly stalledMs: () => number;
  /** A call that takes longer is slow, in milliseconds. */
  readonly slowMs: () => number;
  readonly labelOf: (caller: string) => string | undefined;
  /** The names of the sources of an operation. */
  readonly sourcesOf: (operation: string) => readonly string[];
  /** The roles that share the Redis of a role, such as `keys+limits`; `undefined`: the role has no Redis. */
  readonly redisOf: (role: string) => string | undefined;
};

const SHARE_MIN = 0.02;
const SLOW_SHARE_MIN = 0.1;

/** The kind of an upstream, by its name in the metrics. */
const kindOf = (source: string): IncidentKind => (source.startsWith('passthrough.') ? 'route' : 'source');

/** `run`: failures of an upstream. `slow`: its slow calls, among all calls, so that their share is known. */
type Upstream = { readonly run: IncidentRun; readonly slow: IncidentRun };

/** Creates the runs of all subjects; each run is created when it is first needed. */
export function createRuns(deps: TrackedServing, answered: (at?: number) => number) {
  const runs = new Map<string, IncidentRun>();
  /** The runs of each upstream, by its name alone, so that no key must be made for each call. */
  const upstreams = new Map<string, Upstream>();

  function of(
    kind: IncidentKind,
    subject: string,
    isCritical = kind === 'gateway',
    slowSince?: (since: number) => number,
  ): IncidentRun {
    const key = `${kind} ${subject}`;
    const found = runs.get(key);
    if (found !== undefined) return found;
    const shareMin = kind === 'slow' ? SLOW_SHARE_MIN : SHARE_MIN;
    const { labelOf } = deps;
    const run = createIncidentRun({ kind, subject, shareMin, isCritical, labelOf, answered, slowSince });
    runs.set(key, run);
    return run;
  }

  function upstreamOf(source: string): Upstream {
    const found = upstreams.get(source);
    if (found !== undefined) return found;
    const slow = of('slow', source);
    const slowSince = (since: number) => (slow.isOpen() ? slow.failedSince(since) : 0);
    const upstream: Upstream = { slow, run: of(kindOf(source), source, undefined, slowSince) };
    upstreams.set(source, upstream);
    return upstream;
  }

  const upstreamsOf = (operation: string): readonly string[] =>
    operation.startsWith('passthrough.') ? [operation] : deps.sourcesOf(operation);

  return {
    of,
    upstreamOf,
    known: (kind: IncidentKind, subject: string) => runs.get(`${kind} ${subject}`),
    all: () => runs.values(),
    /** The run of an answer that a call without an answer in time made fail. */
    timedOutOf(source: string): IncidentRun {
      const { run, slow } = upstreamOf(source);
      return slow.isOpen() && !run.isOpen() ? slow : run;
    },
    /** The runs of slow calls of what an operation reads. */
    slowOf: (operation: string): readonly IncidentRun[] =>
      upstreamsOf(operation).flatMap((name) => runs.get(`slow ${name}`) ?? []),
    /** The runs of what an operation reads for which its callers wait in vain. */
    leftOf: (operation: string): readonly IncidentRun[] =>
      upstreamsOf(operation)
        .map(upstreamOf)
        .map(({ run, slow }) => (run.isOpen() ? run : slow)),
    isSlow: (ms: number) => ms > deps.slowMs(),
    /** Counts a call that did not fail as slow or not. */
    countSpeed({ slow }: Upstream, at: number, ms: number, host?: string, isAbandoned = false): void {
      const slowMs = deps.slowMs();
      if (ms <= slowMs) slow.ok(at, host);
      else {
        const how = isAbandoned ? 'callers leave without an answer after' : 'calls take longer than';
        slow.fail({ at, cause: `${how} ${slowMs / 1_000} s`, host }, at + ms);
      }
    },
  };
}

/**
 * Finds the run of the deepest dependency that made an answer fail; `undefined` if no watched dependency is at fault. `starved`:
 * the run of a process without CPU, if that is why an answer since a moment came late.
 */
export function createRootOf(
  { sourcesOf, redisOf }: TrackedServing,
  runs: ReturnType<typeof createRuns>,
  starved: (since: number) => IncidentRun | undefined,
) {
  const ofRole = (role: string) => runs.of('redis', redisOf(role) ?? role);
  return function rootOf({ code, source, operation }: HarmedAnswer, at: number): IncidentRun | undefined {
    if (isForLostKey({ code, source })) return runs.of('keys', 'keys', true);
    if (code === 'limiter_unavailable') return ofRole('limits');
    if (source?.startsWith('redis.') === true) return ofRole(source.slice(6));
    if (source === 'auth.jwt') return runs.of('issuer', source);
    if (code === 'server_error')
      return (
        [...runs.all()].find((run) => run.kind === 'redis' && run.isFailing()) ??
        runs.of('gateway', 'answers')
      );
    if (code === 'scan_limit_exceeded') return undefined;
    const late = code === 'upstream_timeout' || code === 'overloaded' ? starved(at) : undefined;
    if (late !== undefined) return late;
    const runOf = (name: string) =>
      code === 'upstream_timeout' ? runs.timedOutOf(name) : runs.upstreamOf(name).run;
    if (source !== undefined) return runOf(source);
    if (code === 'overloaded') return undefined;
    // An upstream's answer that is passed on unchanged has no code of Portico.
    if (operation.startsWith('passthrough.')) return runs.upstreamOf(operation).run;
    if (code === undefined) return undefined;
    const all = sourcesOf(operation).map(runOf);
    return all.find((run) => run.isFailing()) ?? all[0];
  };
}
