import type { Query } from '../contract/query.ts';
import type { Call } from '../policy/call.ts';

/** A call of a command's own: nobody has to be let in, and nothing is cached. */
export function ownCall(query: Query, requestId: string, signal: AbortSignal): Call {
  return {
    operation: `${query.resource}.${query.kind}`,
    permission: null,
    request: { authorization: [], apiKey: [], address: '', rawQuery: '', rawId: undefined },
    requestId,
    signal,
    trace: { cache: 'none', upstreamCalls: 0, upstreamMs: 0, principalId: undefined },
    answerHeaders: [],
    principal: undefined,
    query,
  };
}
