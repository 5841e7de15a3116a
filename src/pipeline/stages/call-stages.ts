// The stages that need nothing but the call: deadline, permission, parameters and deprecation.

import type { DeprecationHeaders } from '../../contract/deprecation.ts';
import { queryKey, type Query } from '../../contract/query.ts';
import { fault } from '../../kernel/errors/fault.ts';
import type { Stage } from './call.ts';

/**
 * Creates the stage that limits how long a caller waits: the answer is 504 after `deadlineMs`. A call that is answered at
 * once gets no timer, because a timer for each request would cost too much.
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
 * The stage that refuses callers without the permission of the operation, and keys that are limited to other operations
 * (403). It comes after `authenticate`. A refusal names what is missing, as in RFC 6750, section 3.1.
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

/** Parses the raw query string and the raw id of a request. @throws GatewayError 400 or 404 */
export type RequestParser = (rawQuery: string, rawId: string | undefined) => Query;

/** Creates the stage that parses the parameters, and sets `call.query` and `call.queryKey`. */
export function createParse(parseRequest: RequestParser): Stage {
  return (next) =>
    function parsed(call) {
      const query = parseRequest(call.request.rawQuery, call.request.rawId);
      call.query = query;
      call.queryKey = queryKey(query);
      return next(call);
    };
}

/** Creates the stage that adds headers if a caller uses deprecated parts of the contract. */
export function createDeprecation(headersOf: DeprecationHeaders): Stage {
  return (next) =>
    function marked(call) {
      call.answerHeaders.push(...headersOf(call.request.rawQuery));
      return next(call);
    };
}
