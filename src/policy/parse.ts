import type { Query } from '../contract/query.ts';
import type { Stage } from './call.ts';

/** Reads an operation's raw query string and path id. @throws GatewayError what the client did wrong */
export type RequestParser = (rawQuery: string, rawId: string | undefined) => Query;

/** The stage that checks the parameters. It stands behind permission: see "Order of the checks" in the contract. */
export function createParse(parseRequest: RequestParser): Stage {
  return (next) =>
    function parse(call) {
      call.query = parseRequest(call.request.rawQuery, call.request.rawId);
      return next(call);
    };
}
