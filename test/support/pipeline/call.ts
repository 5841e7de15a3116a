import type { Query } from '../../../src/contract/query.ts';
import type { UpstreamTrace } from '../../../src/telemetry/request-span.ts';
import type { Call, Handler, RequestParts, SourceCall } from '../../../src/pipeline/stages/call.ts';

/** The trace of a call that nobody looks at. */
const noTrace: UpstreamTrace = {
  isSampled: false,
  startCall: () => ({ headers: {} }),
};

/** A call as the HTTP layer hands it to the pipeline; `request` and the rest may be overridden. */
export function createCall({
  request,
  ...rest
}: Partial<Omit<Call, 'request'>> & { request?: Partial<RequestParts> } = {}): Call {
  return {
    operation: 'users.list',
    permission: 'users:read',
    request: {
      authorization: [],
      apiKey: [],
      address: '192.0.2.1',
      rawQuery: '',
      rawId: undefined,
      ...request,
    },
    requestId: 'req_test',
    signal: new AbortController().signal,
    summary: {
      ...{ cache: 'none', upstreamCalls: 0, upstreamMs: 0 },
      ...{ principalId: undefined, limitTier: undefined, limitWindows: undefined },
    },
    answerHeaders: [],
    startDeadline: () => undefined,
    openTrace: () => noTrace,
    headerLines: () => [],
    principal: undefined,
    query: undefined,
    queryKey: undefined,
    ...rest,
  };
}

/** A call to a source. */
export function createSourceCall(query: Query, signal = new AbortController().signal): SourceCall {
  return { query, usage: { upstreamCalls: 0, upstreamMs: 0 }, signal };
}

/** A call that presents a bearer token. */
export function bearerCall(token: string, rest: Parameters<typeof createCall>[0] = {}): Call {
  return createCall({ ...rest, request: { ...rest.request, authorization: [`Bearer ${token}`] } });
}

/** A handler that always answers later, and rejects where it would throw. */
export function later<T>(handler: Handler<T>): (call: Call) => Promise<T> {
  return async (call) => handler(call);
}
