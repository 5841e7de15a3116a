// Writes the attributes of spans for requests and for exchanges with upstreams, by OpenTelemetry's conventions for HTTP.

import { GatewayError } from '../kernel/errors/fault.ts';
import { upstreamHostOf } from '../kernel/upstream-call.ts';
import type { FinishedSpan } from './tracing.ts';

/** What is known of a finished request, for its span. */
export type ServerFacts = {
  readonly method: string;
  /** The path of the route, such as `/v1/users/{id}`; `undefined` if there is no such route. */
  readonly route: string | undefined;
  readonly operation: string;
  readonly requestId: string;
  /** The status of the answer; 499 if the client left before it. */
  readonly status: number;
  readonly cache: string;
  readonly caller: string | undefined;
  readonly plan: string | undefined;
  /** If the resource moves to a new source: the chosen source, and why the other source has served. */
  readonly origin?: string | undefined;
  readonly fallback?: string | undefined;
  readonly upstreamCalls: number;
  readonly error: unknown;
};

/** What is known of one exchange with an upstream, for its span. */
export type ExchangeFacts = {
  readonly source: string | undefined;
  readonly base: string;
  readonly method: string;
  /** The range of rows that was asked for, if there is one. */
  readonly window?: { readonly firstRow: number; readonly size: number } | undefined;
  /** How often the same request was sent before. */
  readonly resends: number;
  /** `undefined` if no reply came. */
  readonly status: number | undefined;
  readonly error: unknown;
};

type Described = Pick<FinishedSpan, 'attributes' | 'hasFailed'>;
type Attributes = Record<string, string | number | boolean>;

/** The methods of the semantic conventions; others are written as `_OTHER`, because a caller may invent any. */
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '));

/** The name of a failure: the error code of the contract, or the name of the error's class. */
function errorType(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof GatewayError ? error.code : error instanceof Error ? error.name : '_OTHER';
}

function addDefined(
  attributes: Attributes,
  more: Readonly<Record<string, string | number | undefined>>,
): void {
  for (const [name, value] of Object.entries(more)) if (value !== undefined) attributes[name] = value;
}

/**
 * The attributes of a request, by the stable semantic conventions for HTTP. `url.path` is left out although the conventions
 * ask for it, because a path may hold an id; `http.route` names the route.
 */
export function serverAttributes(facts: ServerFacts): Described & Pick<FinishedSpan, 'name'> {
  const { route, status } = facts;
  const isKnown = METHODS.has(facts.method);
  const hasFailed = status >= 500;
  const attributes: Attributes = {
    'http.request.method': isKnown ? facts.method : '_OTHER',
    'http.response.status_code': status,
    'url.scheme': 'http',
    'portico.operation': facts.operation,
    'portico.request_id': facts.requestId,
    'portico.upstream_calls': facts.upstreamCalls,
  };
  addDefined(attributes, {
    'http.route': route,
    'portico.cache': facts.cache === 'none' ? undefined : facts.cache,
    'portico.caller': facts.caller,
    'portico.plan': facts.plan,
    'portico.origin': facts.origin,
    'portico.fallback': facts.fallback,
    'error.type': hasFailed ? (errorType(facts.error) ?? String(status)) : undefined,
  });
  const method = isKnown ? facts.method : 'HTTP';
  return { name: route === undefined ? method : `${method} ${route}`, attributes, hasFailed };
}

/** The attributes of an exchange. `url.full` is left out, because it may hold ids, values of filters and credentials. */
export function clientAttributes({ source, base, method, window, ...facts }: ExchangeFacts): Described {
  const { resends, status, error } = facts;
  const { isTls, hostname, port } = upstreamHostOf(new URL(base));
  const attributes: Attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': port,
    'url.scheme': isTls ? 'https' : 'http',
  };
  const hasFailed = error !== undefined || (status !== undefined && status >= 400);
  addDefined(attributes, {
    'http.response.status_code': status,
    'http.request.resend_count': resends === 0 ? undefined : resends,
    'error.type': hasFailed ? (errorType(error) ?? String(status)) : undefined,
    'portico.source': source,
    'portico.window.first_row': window?.firstRow,
    'portico.window.rows': window !== undefined && Number.isFinite(window.size) ? window.size : undefined,
  });
  return { attributes, hasFailed };
}
