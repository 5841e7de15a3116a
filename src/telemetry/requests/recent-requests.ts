// Keeps the latest failed, slow and refused requests of this process in memory, so that operators can look at their traces.

import type { Clock } from '../../kernel/clock.ts';
import { type RequestTrace, traceTimings } from './request-trace.ts';
import type { RequestTimings } from './request-timings.ts';

/** The fields of a request's log line. Nothing else about a request is logged or kept. Fields without a value are left out. */
export type RequestLogFields = {
  readonly requestId: string;
  readonly operation: string;
  readonly method: string | undefined;
  /** `null` if the client left before the head of its answer. */
  readonly status: number | null;
  readonly aborted: true | undefined;
  readonly caller: string | undefined;
  readonly cache: string | undefined;
  readonly durationMs: number;
  upstreamCalls?: number;
  upstreamMs?: number;
  origin?: string | undefined;
  fallback?: string;
  wouldRefuse?: string;
  code?: string;
  reason?: string | undefined;
  detail?: string | undefined;
  cause?: string | undefined;
  source?: string;
  host?: string | undefined;
  clientRequestId?: string | undefined;
  traceId?: string | undefined;
  spanId?: string;
  path?: string | undefined;
  plan?: string;
  dependsOn?: readonly string[] | undefined;
  why?: string | undefined;
};

/** The code of an error, and the upstream that it names. */
export type ErrorNames = { readonly [Name in 'code' | 'source']?: RequestLogFields[Name] | undefined };

/** Whether a request was refused because Redis has lost the key of its caller. No other refused credential names a source. */
export const isForLostKey = ({ code, source }: ErrorNames): boolean =>
  code === 'authentication_required' && source === 'redis.keys';

/** A finished request, with all that its trace needs. */
export type FinishedRequest = {
  readonly line: RequestLogFields;
  /** The precise status; 499: the client left before its answer. */
  readonly status: number;
  /** When the request came, on the monotonic clock in milliseconds. */
  readonly startedAt: number;
  readonly plan: RequestTrace['plan'];
  readonly timings: RequestTimings | undefined;
};

/** Why a request is kept. `failed`: status 500 or above; `slow`: it took long; `refused`: status 400 to 499. */
export const keptKinds = ['failed', 'slow', 'refused'] as const;

/** The kind of a kept request. Each kind has its own ring buffer in this process, and its own lists in Redis. */
export type KeptKind = (typeof keptKinds)[number];

/** A kept request. Its trace is made only when somebody reads it. */
export type KeptRequest = { readonly kind: KeptKind; readonly trace: () => RequestTrace };

/** The kind of a request with this status. */
export const keptKindOf = ({ status, slow }: Pick<RequestTrace, 'status' | 'slow'>): KeptKind =>
  status >= 500 ? 'failed' : slow ? 'slow' : 'refused';

/** How many requests of each kind are kept. Kinds are separate, so that mistakes of clients do not push out failures. */
const KEPT_MAX: Readonly<Record<KeptKind, number>> = { failed: 250, slow: 125, refused: 125 };

/** The latest requests of this process that failed, were slow or were refused. */
export type RecentRequests = ReturnType<typeof createRecentRequests>;

/** What the record of recent requests needs. `slowMs`: the bound at the start; a reload sets it on the created object. */
export type RecentRequestsDeps = {
  readonly clock: Pick<Clock, 'now'>;
  /** This process, such as `host-1:4711`. */
  readonly instance: string;
  readonly slowMs: number;
  /** The names of the sources of an operation; absent: they are not known. */
  readonly sourcesOf?: ((operation: string) => readonly string[]) | undefined;
  /** Called with each kept request; it must return at once. */
  readonly onKept?: ((kept: KeptRequest) => void) | undefined;
  /** Called with the log line of each request that failed, was slow or had a lost key, and when it came (ms since the epoch). */
  readonly onHarmed?: ((line: RequestLogFields, cameAt: number) => void) | undefined;
};

type TraceFacts = Pick<RecentRequestsDeps, 'instance' | 'sourcesOf'> & {
  readonly cameAt: number;
  readonly isSlow: boolean;
};

/** The source that a slow request waited for, if it has asked one and can have asked no other. */
function slowSourceOf(
  { operation, upstreamCalls = 0 }: RequestLogFields,
  sourcesOf: RecentRequestsDeps['sourcesOf'],
) {
  const [source, ...others] = upstreamCalls > 0 ? (sourcesOf?.(operation) ?? []) : [];
  return others.length === 0 ? source : undefined;
}

function traceOf(
  { line, status, startedAt, plan, timings }: FinishedRequest,
  { cameAt, isSlow, instance, sourcesOf }: TraceFacts,
): RequestTrace {
  const { requestId, operation, method = '', durationMs } = line;
  const { traceId, clientRequestId, code, reason, detail, cause, cache, caller } = line;
  const { source = isSlow && status < 400 ? slowSourceOf(line, sourcesOf) : undefined } = line;
  return {
    at: new Date(cameAt).toISOString(),
    ...{ requestId, traceId, clientRequestId, operation, method, status },
    ...{ code, reason, detail, cause, source, cache, caller },
    durationMs,
    upstreamCalls: line.upstreamCalls ?? 0,
    upstreamMs: line.upstreamMs ?? 0,
    slow: isSlow,
    process: instance,
    plan,
    timings: traceTimings(timings, { startedAt, durationMs, isRefused: status >= 400 }),
    timingsLeftOut: timings?.leftOut?.count ?? 0,
  };
}

/** Creates an empty ring buffer for each kind of request. */
export function createRecentRequests({
  clock,
  instance,
  slowMs,
  sourcesOf,
  onKept,
  onHarmed,
}: RecentRequestsDeps) {
  const rings = new Map(keptKinds.map((kind) => [kind, { kept: [] as KeptRequest[], next: 0 }]));

  function keep(kept: KeptRequest): void {
    const ring = rings.get(kept.kind);
    if (ring === undefined) return;
    ring.kept[ring.next] = kept;
    ring.next = (ring.next + 1) % KEPT_MAX[kept.kind];
  }

  const recent = {
    /** A request that takes at least this number of milliseconds is slow; a reload may change it. */
    slowMs,
    /** Whether a request with this status and duration is kept. */
    wants: (status: number, durationMs: number): boolean => status >= 400 || durationMs >= recent.slowMs,
    add(request: FinishedRequest): void {
      const { durationMs } = request.line;
      const cameAt = clock.now() - durationMs;
      const isSlow = durationMs >= recent.slowMs;
      const kind = keptKindOf({ status: request.status, slow: isSlow });
      const kept = { kind, trace: () => traceOf(request, { cameAt, isSlow, instance, sourcesOf }) } as const;
      keep(kept);
      onKept?.(kept);
      if (kind !== 'refused' || isForLostKey(request.line)) onHarmed?.(request.line, cameAt);
    },
    /** The traces of all kept requests, in no particular order. */
    traces: (): readonly RequestTrace[] =>
      [...rings.values()].flatMap(({ kept }) => kept.map(({ trace }) => trace())),
    /** The oldest kept request of each kind of which older ones may have made room. */
    oldest: (): readonly RequestTrace[] =>
      [...rings].flatMap(([kind, { kept, next }]) =>
        kept.length < KEPT_MAX[kind] ? [] : (kept[next]?.trace() ?? []),
      ),
  };
  return recent;
}
