// Writes one log line for each request.

import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { GatewayError } from '../../kernel/errors/fault.ts';
import type { Origin } from '../../kernel/migration-origin.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { CallSummary } from '../../pipeline/stages/call.ts';
import type { CallerCounts } from '../../telemetry/caller-counts.ts';
import type { RequestSpan } from '../../telemetry/request-span.ts';
import type { RecentRequests, RequestLogFields } from '../../telemetry/requests/recent-requests.ts';
import { readTraceparent } from '../../telemetry/trace-context.ts';
import { summariseCause } from './cause-summary.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { parseRequestTarget } from './request-head.ts';
import type { RequestTraces } from './open-traces.ts';

/** The most characters of a path that are logged, for requests without a route. */
const PATH_CHARS_MAX = 200;
const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** What the access log needs: the log, and the other parts that each finished request is reported to. */
export type AccessLogDeps = {
  readonly log: Logger;
  readonly clock: Clock;
  readonly traces: Pick<RequestTraces, 'atEnd'>;
  /** Keeps the requests that failed or were slow. */
  readonly recent: Pick<RecentRequests, 'wants' | 'add'>;
  /** Counts each request by its caller. */
  readonly callers: Pick<CallerCounts, 'count'>;
  /**
   * Called with each successful answer of an operation and its body, even if the client had it; it must return at once.
   * `answeredBy`: which source it is from, if a migration has chosen one.
   */
  readonly onAnswered?:
    ((operation: string, caller: string | undefined, body: Buffer, answeredBy?: Origin) => void) | undefined;
};

/**
 * Creates the access log, with pino-http. All its fields are named in this file, so nothing else of a request can reach the
 * log. Fields without a value are left out. If the client left before its response was complete, the line has
 * `aborted: true`.
 */
export function createAccessLog({ log, clock, traces, recent, callers, onAnswered }: AccessLogDeps) {
  const open = pinoHttp({
    logger: withoutChildren(log),
    // The default serializers would log whole requests with their secrets, and cost a third of the throughput.
    wrapSerializers: false,
    genReqId: (_req, res) => contextOf(res).requestId,
    // `write` logs instead. To log by itself, pino-http would listen to three events of each response.
    autoLogging: false,
    useLevel: 'silent',
  });

  function fields(context: RequestContext) {
    const named = fieldsOf(context, clock);
    addTrace(named, context, traces.atEnd(context));
    // The level is checked for each line, because a reload may change it.
    if (log.isLevelEnabled('debug')) addDebug(named, context);
    return named;
  }

  return {
    /** Gives a request its logger. */
    open,
    /**
     * Writes the line of a request after its response has finished or its connection is gone. `status` is the precise status
     * (see `errors.serverStatus`), or 499 if the client left.
     */
    write(context: RequestContext, status: number): void {
      const { req, res } = context;
      const isFailed = res.writableFinished && res.statusCode >= 500;
      const line = fields(context);
      const logger = context.mount === undefined ? req.log : log;
      logger[isFailed ? 'error' : 'info'](line, 'request');
      callers.count(context.summary, status);
      const { body, summary } = context;
      const answeredBy = summary.fallback === undefined ? summary.origin : 'legacy';
      if (status < 400 && body !== undefined) onAnswered?.(line.operation, line.caller, body, answeredBy);
      if (recent.wants(status, line.durationMs)) recent.add(finishedRequest(context, line, status));
    },
  };
}

/**
 * A view of the logger without children. pino-http would make a child for each request, so that every line has the id of
 * the request. Here each request has only one line, which has the id anyway. A child would cost 3 to 8 of 80 µs.
 */
function withoutChildren(log: Logger): Logger {
  const view = Object.create(log) as Logger;
  view.child = (() => view) as unknown as Logger['child'];
  return view;
}

/** The record of a finished request for the recent requests: its log line, its plan and its timings. */
function finishedRequest({ summary, startedAt }: RequestContext, line: RequestLogFields, status: number) {
  const { timings } = summary;
  // The plan is copied, because the plan itself refers to large parts of its source.
  const plan = summary.plan && {
    kind: summary.plan.kind,
    dependsOn: summary.plan.dependsOn,
    why: summary.plan.reason,
  };
  return { line, status, startedAt, plan, timings };
}

function fieldsOf(context: RequestContext, clock: Clock): RequestLogFields {
  const { req, res, summary, head } = context;
  const finished = res.writableFinished;
  // pino writes every key, so rare keys are added only if they have a value.
  const fields: RequestLogFields = {
    requestId: context.requestId,
    operation: context.operation,
    method: req.method,
    status: finished || res.headersSent ? res.statusCode : null,
    aborted: finished ? undefined : true,
    caller: summary.principalId ?? summary.claimedId,
    cache: summary.cache === 'none' ? undefined : summary.cache,
    durationMs: Math.round((clock.monotonic() - context.startedAt) * 10) / 10,
  };
  if (summary.upstreamCalls > 0) addUpstream(fields, summary);
  if (summary.origin !== undefined) addOrigin(fields, summary);
  if (summary.wouldRefuse !== undefined) fields.wouldRefuse = summary.wouldRefuse;
  if (res.err instanceof GatewayError) addError(fields, res.err);
  if (head.requestId.length > 0) fields.clientRequestId = clientRequestId(head.requestId);
  return fields;
}

/** Adds the ids of the request's span, or else the trace id in the caller's `traceparent`. */
function addTrace(fields: RequestLogFields, { head }: RequestContext, opened: RequestSpan | undefined): void {
  if (opened !== undefined) {
    const { traceId, spanId } = opened.ids;
    fields.traceId = traceId;
    fields.spanId = spanId;
  } else if (head.traceparent.length > 0) fields.traceId = readTraceparent(head.traceparent)?.traceId;
}

/** Adds the fields of `log.level: debug`: the plan, and the path (without query) of a request that has no route. */
function addDebug(fields: RequestLogFields, { target, route, summary }: RequestContext): void {
  if (route === undefined) fields.path = parseRequestTarget(target)?.path.slice(0, PATH_CHARS_MAX);
  if (summary.plan === undefined) return;
  fields.plan = summary.plan.kind;
  fields.dependsOn = summary.plan.dependsOn;
  fields.why = summary.plan.reason;
}

function addUpstream(fields: RequestLogFields, { upstreamCalls, upstreamMs }: CallSummary): void {
  fields.upstreamCalls = upstreamCalls;
  fields.upstreamMs = Math.round(upstreamMs);
}

/** Adds, if the resource moves: the chosen source, and why the other source has answered. */
function addOrigin(fields: RequestLogFields, { origin, fallback }: CallSummary): void {
  fields.origin = origin;
  if (fallback !== undefined) fields.fallback = fallback;
}

function addError(fields: RequestLogFields, error: GatewayError): void {
  const { code, reason, detail, upstream } = error;
  Object.assign(fields, { code, reason, detail, cause: summariseCause(error), ...upstream });
}

/** The caller's own request id, if it has only harmless characters. */
function clientRequestId(values: readonly string[]): string | undefined {
  const [id] = values;
  return id !== undefined && CLIENT_ID.test(id) ? id : undefined;
}
