// Explains for `portico explain` what happens to a request to a pass-through route, without sending it.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { ErrorCode } from '../../kernel/errors/catalogue.ts';
import { fault, publicStatus } from '../../kernel/errors/fault.ts';
import { parseRequestTarget } from '../../http/listener/request-head.ts';
import { isForwardable, pathMapOf, upstreamTarget } from '../../http/passthrough/path.ts';
import { isForSharedCaches } from '../../http/passthrough/response-header-policy.ts';
import { compileRoutes } from '../../http/listener/routes.ts';
import { readRequestLine } from './explain-request.ts';

/** What happens to a request to a pass-through route. Values of headers are left out, because they may be credentials. */
export type PassthroughExplanation = {
  readonly request: string;
  readonly operation: string;
  /** `null` if the route is public. */
  readonly permission: string | null;
  /** The addresses that the request may be sent to, one for each host; none if it is refused. */
  readonly sentTo: readonly string[];
  readonly refused?: { readonly status: number; readonly code: ErrorCode; readonly because: string };
  readonly headers: {
    /** The headers that the route adds. */
    readonly added: readonly string[];
    /** Headers of a proxy that pass even if the caller itself wrote them. */
    readonly fromCallers: readonly string[];
  };
  readonly bounds: {
    readonly deadlineMs: number;
    readonly bodyBytesMax: number;
    readonly concurrency: number;
    readonly queueMax: number;
  };
  /** Whether the request is sent again if no byte of an answer came. */
  readonly isRepeated: boolean;
  /** Who may cache the answer. */
  readonly kept: 'by the caller alone' | 'as the upstream says';
};

function refusalOf(route: PassthroughConfig, method: string, path: string) {
  if (!(route.methods as readonly string[]).includes(method))
    return {
      code: 'method_not_allowed',
      because: `the route takes ${route.methods.join(', ')}: see methods`,
    } as const;
  if (!isForwardable(path))
    return {
      code: 'bad_request',
      because: 'the path could mean something else to a server behind the gateway',
    } as const;
  return undefined;
}

/** Explains a request to a pass-through route, without sending it; `undefined` if no route has the path. */
export function explainPassthrough(text: string, gateway: GatewayConfig): PassthroughExplanation | undefined {
  const { method, target } = readRequestLine(text);
  const parts = parseRequestTarget(target);
  const findRoute = compileRoutes(gateway.passthrough.map((route) => ({ ...route, target: route })));
  const route = parts && findRoute(parts.path)?.target;
  if (parts === undefined || route === undefined) return undefined;
  const refusal = refusalOf(route, method, parts.path);
  const sent = upstreamTarget(pathMapOf(route), parts);
  const status = refusal && publicStatus(fault(refusal.code), gateway.errors.serverStatus);
  return {
    request: `${method} ${target}`,
    operation: `passthrough.${route.name}`,
    permission: route.permission,
    sentTo: refusal ? [] : [route.upstream, ...route.otherUpstreams].map((url) => new URL(url).origin + sent),
    ...(refusal && status !== undefined && { refused: { status, ...refusal } }),
    headers: { added: Object.keys(route.headers), fromCallers: route.callerHeaders },
    bounds: {
      deadlineMs: route.deadline,
      bodyBytesMax: route.bodyMax,
      concurrency: route.concurrency,
      queueMax: route.queue.max,
    },
    isRepeated: (method === 'GET' || method === 'HEAD') && route.retries.max > 0,
    kept: isForSharedCaches(route) ? 'as the upstream says' : 'by the caller alone',
  };
}
