import type { DeprecationHeaders } from '../../contract/deprecation.ts';
import { queryKey } from '../../contract/query-key.ts';
import type { Query } from '../../contract/query.ts';
import { fault } from '../../kernel/errors/fault.ts';
import type { Stage } from './call.ts';

// The stages that need nothing but the call itself.

/**
 * Creates the stage that bounds how long a caller waits: 504 once `deadlineMs` are spent. What is answered at once needs
 * no deadline, and a timer for each request would be felt.
 */
export function createDeadline(deadlineMs: number): Stage {
  return (next) =>
    function bounded(call) {
      const answer = next(call);
      if (answer instanceof Promise) call.startDeadline(deadlineMs);
      return answer;
    };
}

/**
 * The stage that refuses callers without the permission of the operation, and keys that are limited to other operations; it
 * stands behind `authenticate`. A refusal names what is missing, as in RFC 6750, section 3.1.
 */
export const authorize: Stage = (next) =>
  function authorized(call) {
    const { permission, principal } = call;
    if (principal?.operations?.has(call.operation) === false)
      throw fault('insufficient_permissions', {
        message: `The credential may not use the operation ${call.operation}.`,
        headers: { 'WWW-Authenticate': 'Bearer realm="portico", error="insufficient_scope"' },
      });
    if (permission === null || principal?.permissions.has(permission) === true) return next(call);
    throw fault('insufficient_permissions', {
      message: `The credential lacks the permission ${permission}.`,
      headers: {
        'WWW-Authenticate': `Bearer realm="portico", error="insufficient_scope", scope="${permission}"`,
      },
    });
  };

/** Reads an operation's raw query string and path id. @throws GatewayError what the client did wrong */
export type RequestParser = (rawQuery: string, rawId: string | undefined) => Query;

/** Creates the stage that checks the parameters and sets `call.query`, with its key. */
export function createParse(parseRequest: RequestParser): Stage {
  return (next) =>
    function parsed(call) {
      const query = parseRequest(call.request.rawQuery, call.request.rawId);
      call.query = query;
      call.queryKey = queryKey(query);
      return next(call);
    };
}

/** Creates the stage that tells callers that they use what is going. */
export function createDeprecation(headersOf: DeprecationHeaders): Stage {
  return (next) =>
    function marked(call) {
      call.answerHeaders.push(...headersOf(call.request.rawQuery));
      return next(call);
    };
}
