// The trace of a request that failed or was slow, which tells operators where its time went.

import type { MeasuredTiming, RequestTimings, TimingName } from './request-timings.ts';

/** One part of a request's time, in milliseconds. */
export type RequestTiming = {
  /**
   * A measured timing, or the time between two timings. `admission`: routing, credential and limits, without
   * waiting. `gateway`: the gateway's own work. `answer`: making and sending the answer. `more`: timings beyond the limit.
   */
  readonly name: TimingName | 'admission' | 'gateway' | 'answer' | 'more';
  /** Milliseconds since the request came. */
  readonly startMs: number;
  readonly ms: number;
  readonly detail?: string | undefined;
};

/**
 * The fields of a request's log line and its timings, as JSON. It has no path, no query, no body and no value of a record.
 * `traceId` is the id of the distributed trace to which the request belongs.
 */
export type RequestTrace = {
  /** When the request came, as an instant in UTC. */
  readonly at: string;
  readonly requestId: string;
  readonly traceId?: string | undefined;
  readonly clientRequestId?: string | undefined;
  readonly operation: string;
  readonly method: string;
  /** The precise status; 499: the client left before its answer. */
  readonly status: number;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  readonly cause?: string | undefined;
  readonly source?: string | undefined;
  readonly cache?: string | undefined;
  readonly caller?: string | undefined;
  readonly durationMs: number;
  readonly upstreamCalls: number;
  readonly upstreamMs: number;
  readonly slow: boolean;
  readonly process: string;
  readonly plan?:
    | {
        readonly kind: string;
        readonly dependsOn?: readonly string[] | undefined;
        readonly why?: string | undefined;
      }
    | undefined;
  readonly timings: readonly RequestTiming[];
  readonly timingsLeftOut: number;
};

/** Shorter times between two timings are left out. */
const GAP_MS_MIN = 0.05;

const rounded = (ms: number) => Math.round(ms * 100) / 100;

/** The outcome of an exchange and the host of the upstream, without a path. */
function detailOf({ base, outcome }: MeasuredTiming): string | undefined {
  if (base === undefined) return undefined;
  return `${outcome ?? 'cancelled'} from ${URL.parse(base)?.host ?? 'an unknown host'}`;
}

type Span = Pick<RequestTiming, 'name' | 'detail'> & { readonly startMs: number; readonly endMs: number };

/** The timings of a request, cut to its duration and sorted by their starts. */
function spansOf(timings: RequestTimings, startedAt: number, durationMs: number): readonly Span[] {
  const { leftOut } = timings;
  const all = [
    ...timings.list().map((step) => ({ ...step, detail: detailOf(step) })),
    ...(leftOut ? [{ ...leftOut, name: 'more' as const, detail: `${leftOut.count} further timings` }] : []),
  ];
  const within = (ms: number) => Math.min(Math.max(0, ms - startedAt), durationMs);
  return all
    .map(({ name, detail, startMs, endMs }) => ({
      name,
      detail,
      startMs: within(startMs),
      endMs: within(endMs),
    }))
    .sort((a, b) => a.startMs - b.startMs);
}

/**
 * The timings of a request and the times between them, which together cover its duration. The time before the first timing
 * is its `admission`, and the time after the last timing its `answer`.
 */
export function traceTimings(
  timings: RequestTimings | undefined,
  { startedAt, durationMs, isRefused }: { startedAt: number; durationMs: number; isRefused: boolean },
): readonly RequestTiming[] {
  const all: RequestTiming[] = [];
  const spans = timings === undefined ? [] : spansOf(timings, startedAt, durationMs);
  let coveredMs = 0;
  const cover = (name: RequestTiming['name'], untilMs: number) => {
    if (untilMs - coveredMs >= GAP_MS_MIN || (all.length === 0 && spans.length === 0))
      all.push({ name, startMs: rounded(coveredMs), ms: rounded(untilMs - coveredMs) });
  };
  for (const { name, detail, startMs, endMs } of spans) {
    cover(coveredMs === 0 ? 'admission' : 'gateway', startMs);
    all.push({ name, startMs: rounded(startMs), ms: rounded(endMs - startMs), ...(detail && { detail }) });
    coveredMs = Math.max(coveredMs, endMs);
  }
  cover(spans.length === 0 && isRefused ? 'admission' : 'answer', durationMs);
  return all;
}
