import { RequestSpan, type RequestSpanDeps } from '../../telemetry/request-span.ts';
import type { RequestContext } from './request-context.ts';

/** Whether the caller has shown a credential, so that it may decide whether the trace is recorded. */
function isTrusted({ summary: { principalId } }: RequestContext): boolean {
  return principalId !== undefined && principalId !== 'anonymous';
}

/** The traces of requests. */
export type RequestTraces = ReturnType<typeof createRequestTraces>;

/**
 * Makes the traces of requests, each when it is first needed. A request that is answered from memory costs nothing if tracing is off, and a random number if
 * it is on, because its trace is made only once it is over.
 */
export function createRequestTraces(deps: RequestSpanDeps) {
  const { tracing, random } = deps;

  /** The trace of a request that goes on to an upstream. Its caller is known by then. */
  function open(context: RequestContext): RequestSpan {
    if (context.requestTrace === undefined || context.requestTrace === 'none')
      context.requestTrace = new RequestSpan(context.head, isTrusted(context), deps);
    return context.requestTrace;
  }

  /** The trace of a request that is over; `undefined` if it went to no upstream and is not recorded. */
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
    /** Records a request that is over. */
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
