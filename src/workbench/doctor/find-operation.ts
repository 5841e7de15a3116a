import { type Operation, operations } from '../../contract/operations.ts';
import { parseRequestTarget } from '../../http/listener/request-head.ts';
import { compileRoutes } from '../../http/listener/routes.ts';

/** A request target, such as `/v1/users?page=2`, and the operation of the contract that it reaches. */
export type OperationMatch = {
  readonly operation: Operation;
  readonly rawQuery: string;
  /** The id as the path has it, percent-encoded. */
  readonly rawId: string | undefined;
};

const findRoute = compileRoutes(operations.map((operation) => ({ path: operation.path, target: operation })));

/** Finds the operation that a client reaches with a target; `undefined` where the gateway answers 404. */
export function findOperation(target: string): OperationMatch | undefined {
  const parts = parseRequestTarget(target);
  const match = parts && findRoute(parts.path);
  return match && { operation: match.target, rawQuery: parts.query, rawId: match.rawId };
}
