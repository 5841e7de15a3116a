// Reads the request that `portico explain` is asked about.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Operation } from '../../contract/resource.ts';
import { compileParser } from '../../contract/parse-query.ts';
import type { Query } from '../../contract/query.ts';
import { GatewayError } from '../../kernel/errors/fault.ts';
import { findOperation } from '../doctor/answer-request.ts';
import { READ_METHODS } from '../../http/listener/routes.ts';

/** A request to an operation that the gateway serves. */
export type ExplainedRequest = {
  /** The request in its usual spelling: method and target. */
  readonly line: string;
  readonly operation: Operation;
  /** The query, or the error that a client gets for the request. */
  readonly query: Query | GatewayError;
};

const REQUEST = /^(?:([A-Za-z]+)\s+)?(\S+)$/;

function parse(operation: Operation, rules: GatewayConfig['contract'], query: string, rawId?: string) {
  try {
    return compileParser(operation, rules)(query, rawId);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

/** Splits a request such as `GET /v1/users`. The method is GET if none is given; the target is empty if it is not valid. */
export function readRequestLine(text: string): { readonly method: string; readonly target: string } {
  const [, method = 'GET', target = ''] = REQUEST.exec(text.trim()) ?? [];
  // A client would get 400 for a target with other characters (RFC 9112, section 3.2), so there is none.
  return { method: method.toUpperCase(), target: /[^\x21-\x7e]|#/.test(target) ? '' : target };
}

/** Reads a request such as `GET /v1/users?page=2`. If it is to no operation, the result is a text that says why. */
export function readExplainedRequest(text: string, gateway: GatewayConfig): ExplainedRequest | string {
  const { method, target } = readRequestLine(text);
  if (target === '') {
    return `"${text}" is not a request: write it like 'GET /v1/users?page=2', percent-encoded`;
  }
  const match = findOperation(target, gateway.contract.operations);
  if (match === undefined) {
    const paths = [...gateway.contract.operations, ...gateway.passthrough].map(({ path }) => path);
    return `no operation and no pass-through route has this path; there are: ${paths.join(', ')}`;
  }
  const { operation, rawQuery, rawId } = match;
  if (!READ_METHODS.includes(method)) {
    return `${operation.name} is read with ${READ_METHODS.join(' or ')}, not ${method}`;
  }
  if (gateway.resources[operation.resource.name] === undefined) {
    return `this gateway does not serve ${operation.resource.name}: add it under resources`;
  }
  const query = parse(operation, gateway.contract, rawQuery, rawId);
  return { line: `${method} ${target}`, operation, query };
}
