import { type Operation, operations } from '../contract/operations.ts';
import { compileRoutes } from '../http/listener/endpoint.ts';
import { parseRequestTarget } from '../http/listener/request-head.ts';
import { READ_METHODS } from '../http/operation.ts';

/** A request target, such as `/v1/users?page=2`, and the operation of the contract that it reaches. */
export type OperationMatch = {
  readonly operation: Operation;
  readonly rawQuery: string;
  /** The id as the path has it, percent-encoded. */
  readonly rawId: string | undefined;
};

const findRoute = compileRoutes(
  operations.map(({ name, path }) => ({
    path,
    endpoint: { operation: name, methods: READ_METHODS, serve: () => undefined },
  })),
);

/** Finds the operation that a client reaches with a target; `undefined` where the gateway answers 404. */
export function findOperation(target: string): OperationMatch | undefined {
  const parts = parseRequestTarget(target);
  const match = parts === undefined ? undefined : findRoute(parts.path);
  const operation = operations.find(({ name }) => name === match?.endpoint.operation);
  if (parts === undefined || operation === undefined) return undefined;
  return { operation, rawQuery: parts.query, rawId: match?.rawId };
}
