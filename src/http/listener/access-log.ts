import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { GatewayError } from '../../kernel/errors/fault.ts';
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

/** Longer paths of requests to no route are cut. */
const PATH_CHARS_MAX = 200;
const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The log, and those who count or keep requests as they end. */
export type AccessLogDeps = {
  readonly log: Logger;
  readonly clock: Clock;
  readonly traces: Pick<RequestTraces, 'atEnd'>;
  /** Keeps the requests that failed or were slow. */
  readonly recent: Pick<RecentRequests, 'wants' | 'add'>;
  /** Counts each request by its caller. */
  readonly callers: Pick<CallerCounts, 'count'>;
};

/**
 * Creates the log of requests on pino-http, one line for each. Every field is named here, so nothing else of a request can
 * reach the log; fields without a value are left out. If the client left before the end of its response, the line says
 * `aborted: true`.
 */
export function createAccessLog({ log, clock, traces, recent, callers }: AccessLogDeps) {
  const open = pinoHttp({
    logger: withoutChildren(log),
    // The default serializers log the whole request and response, secrets included, for a third of the throughput.
    wrapSerializers: false,
    genReqId: (_req, res) => contextOf(res).requestId,
    // To write lines itself, pino-http would listen to three events of each response. Its end is known here anyway.
    autoLogging: false,
    useLevel: 'silent',
  });

  function fields(context: RequestContext) {
    const named = fieldsOf(context, clock);
    addTrace(named, context, traces.atEnd(context));
    // It is checked for each line, because a reload may change the level. It is one comparison of numbers.
    if (log.isLevelEnabled('debug')) addDebug(named, context);
    return named;
  }

  return {
    /** Gives a request its logger. */
    open,
    /**
     * Writes the line of a request once its response has finished or its connection is gone. `status` is the precise one, or
     * 499 if the client left.
     */
    write(context: RequestContext, status: number): void {
      const { req, res } = context;
      const isFailed = res.writableFinished && res.statusCode >= 500;
      const line = fields(context);
      req.log[isFailed ? 'error' : 'info'](line, 'request');
      callers.count(context.summary, status);
      if (recent.wants(status, line.durationMs)) recent.add(finishedRequest(context, line, status));
    },
  };
}

/**
 * A view of the logger that has no children. pino-http makes one for each request, so that every line of a request carries its
 * id; here there is only the one line, which carries it itself. With the children, a request took 3 to 8 µs of 80 more.
 */
function withoutChildren(log: Logger): Logger {
  const view = Object.create(log) as Logger;
  view.child = (() => view) as unknown as Logger['child'];
  return view;
}

/** What is kept of a finished request: its line, how its source was asked, and its timings. */
function finishedRequest({ summary, startedAt }: RequestContext, line: RequestLogFields, status: number) {
  const { timings } = summary;
  // A copy, because the plan itself refers to much of its source.
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
  // pino looks at every key, so the rare ones are added only with a value.
  const fields: RequestLogFields = {
    requestId: context.requestId,
    operation: context.operation,
    method: req.method,
    status: finished || res.headersSent ? res.statusCode : null,
    aborted: finished ? undefined : true,
    caller: summary.principalId,
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

/** The ids of the request's span, or the trace that the caller says it belongs to. */
function addTrace(fields: RequestLogFields, { head }: RequestContext, opened: RequestSpan | undefined): void {
  if (opened !== undefined) {
    const { traceId, spanId } = opened.ids;
    fields.traceId = traceId;
    fields.spanId = spanId;
  } else if (head.traceparent.length > 0) fields.traceId = readTraceparent(head.traceparent)?.traceId;
}

/** Fields that only `log.level: debug` has: how a source was asked, and the path of a request to no route, without its query. */
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

/** If the resource moves: the source that was chosen, and why another one has served. */
function addOrigin(fields: RequestLogFields, { origin, fallback }: CallSummary): void {
  fields.origin = origin;
  if (fallback !== undefined) fields.fallback = fallback;
}

function addError(fields: RequestLogFields, error: GatewayError): void {
  const { code, reason, detail, upstream } = error;
  Object.assign(fields, { code, reason, detail, cause: summariseCause(error), ...upstream });
}

/** The caller's own request id, if it may stand in a log. */
function clientRequestId(values: readonly string[]): string | undefined {
  const [id] = values;
  return id !== undefined && CLIENT_ID.test(id) ? id : undefined;
}
