import type { Query } from '../../contract/query.ts';
import type { Stage } from './call.ts';

/** Reads an operation's raw query string and path id. @throws GatewayError what the client did wrong */
export type RequestParser = (rawQuery: string, rawId: string | undefined) => Query;

/** Creates the stage that checks the parameters and sets `call.query`. */
export function createParse(parseRequest: RequestParser): Stage {
  return (next) =>
    function parsed(call) {
      call.query = parseRequest(call.request.rawQuery, call.request.rawId);
      return next(call);
    };
}
