// Makes the spans of requests, as late as possible, because most requests need none.

import { RequestSpan, type RequestSpanDeps } from '../../telemetry/request-span.ts';
import type { RequestContext } from './request-context.ts';

/** Whether the caller has a valid credential. Only then its `traceparent` decides whether the trace is recorded. */
function isTrusted({ summary: { principalId } }: RequestContext): boolean {
  return principalId !== undefined && principalId !== 'anonymous';
}

/** Makes and ends the spans of requests. */
export type RequestTraces = ReturnType<typeof createRequestTraces>;

/**
 * Creates what makes the spans of requests, each when it is first needed. For a request that is answered from memory, that
 * is at its end. So it costs nothing if tracing is off, and a random number if tracing is on.
 */
export function createRequestTraces(deps: RequestSpanDeps) {
  const { tracing, random } = deps;

  /** The span of a request that calls an upstream. Its caller is known by then. */
  function open(context: RequestContext): RequestSpan {
    if (context.requestTrace === undefined || context.requestTrace === 'none')
      context.requestTrace = new RequestSpan(context.head, isTrusted(context), deps);
    return context.requestTrace;
  }

  /** The span of a finished request; `undefined` if it called no upstream and is not recorded. */
  function atEnd(context: RequestContext): RequestSpan | undefined {
    if (context.requestTrace === undefined && tracing !== undefined) {
      if (context.head.traceparent.length > 0) open(context);
      else if (random() < tracing.ratio)
        context.requestTrace = new RequestSpan(context.head, false, { ...deps, random: () => 0 });
      else context.requestTrace = 'none';
    }
    return context.requestTrace === 'none' ? undefined : context.requestTrace;
  }

  return {
    open,
    atEnd,
    /** Records a finished request, if its trace is recorded. */
    end(context: RequestContext, status: number, seconds: number): void {
      const opened = atEnd(context);
      if (opened?.isRecorded !== true) return;
      const { req, res, requestId, operation, summary, route } = context;
      opened.end(
        {
          route,
          operation,
          requestId,
          status,
          method: req.method ?? '',
          cache: summary.cache,
          caller: summary.principalId,
          plan: summary.plan?.kind,
          origin: summary.origin,
          fallback: summary.fallback,
          upstreamCalls: summary.upstreamCalls,
          error: res.err,
        },
        seconds,
      );
    },
  };
}
