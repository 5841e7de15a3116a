// The trace of a request that failed or was slow, which tells operators where its time went.

import * as z from 'zod';
import type { DeepReadonly } from '../../kernel/deep-readonly.ts';
import { type MeasuredTiming, type RequestTimings, timingNames } from './request-timings.ts';

/** The schema of a request that failed or was slow: fields of its log line, no path, no query, no body, no value of a record. */
export const requestSummary = z.strictObject({
  at: z.string().describe('An instant in UTC.'),
  requestId: z.string(),
  traceId: z.string().optional(),
  clientRequestId: z.string().optional().describe("The caller's own id of the request, where it sent one."),
  operation: z.string().describe('The endpoint, or none.'),
  method: z.string(),
  status: z.int().describe('499: the client left before its answer.'),
  code: z.string().optional().describe('Of the error catalogue.'),
  cache: z.string().optional(),
  durationMs: z.number(),
  caller: z.string().optional().describe('The id of the key or the principal, as in the log.'),
  source: z.string().optional().describe('The source that failed, or that a slow request waited for.'),
  upstreamCalls: z.int(),
  upstreamMs: z.number(),
  slow: z.boolean(),
  process: z.string().describe('The process that answered, such as host-1:4711.'),
});

/**
 * The schema of one part of a request's time: a measured timing, or the time between two. `admission`: routing, credential
 * and limits, without waiting. `gateway`: the gateway's own work. `answer`: making and sending the answer. `more`: timings
 * beyond the limit.
 */
const timing = z.strictObject({
  name: z.enum(['admission', ...timingNames, 'gateway', 'answer', 'more']),
  startMs: z.number().describe('Milliseconds since the request came.'),
  ms: z.number(),
  detail: z
    .string()
    .optional()
    .describe('For an upstream call: its status, or why there is none, and its host.'),
});

/** The fields of a request trace that say where its time went. */
export const timedRequest = {
  timings: z
    .array(timing)
    .describe(
      'Where its time went, in the order of their starts. Calls that ran beside one another overlap; together they cover the duration.',
    ),
  timingsLeftOut: z.int().describe('Steps of a long scan beyond those that are kept.'),
  plan: z
    .strictObject({
      kind: z.string(),
      dependsOn: z.array(z.string()).optional().describe('Claims of the source file.'),
      why: z.string().optional().describe('Why it takes a scan.'),
    })
    .optional(),
};
/** The fields of a request trace that say why the request failed, besides its code. */
export const failureOfRequest = {
  reason: z.string().optional().describe('Why a reply could not be used.'),
  detail: z.string().optional(),
  cause: z.string().optional(),
};

/** The schema of a request trace, as it is stored in Redis. */
export const requestTrace = requestSummary.extend({ ...failureOfRequest, ...timedRequest });

/** A request that failed or was slow, with its timings. `traceId` is the id of the distributed trace that it belongs to. */
export type RequestTrace = DeepReadonly<z.output<typeof requestTrace>>;

type RequestTiming = RequestTrace['timings'][number];

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
