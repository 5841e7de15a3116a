import type { Request } from 'express';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import { fault } from '../../kernel/errors/fault.ts';
import type { ComponentSet, MadeComponent } from '../../kernel/shared-components.ts';
import type { ReferenceCount } from '../../kernel/reference-count.ts';
import type { Handler } from '../../pipeline/stages/call.ts';
import type { Purges } from '../../store/cache/purges.ts';
import type { Cors } from '../listener/cors.ts';
import type { RequestContext } from '../listener/request-context.ts';
import type { RequestTarget } from '../listener/request-head.ts';
import { OpenCall, requestFacts } from '../listener/open-call.ts';
import type { Endpoint, Route } from '../listener/routes.ts';
import { framingOf } from './body.ts';
import { isForwardable } from './path.ts';
import { compileProxyRequest, isWaitingForClient, type ProxyContext } from './proxy-request.ts';
import { compilePurge } from './purge-after-write.ts';
import { createRouteUpstream, type RouteUpstream, type RouteUpstreamDeps } from './route-upstream.ts';

/** What the pass-through routes need. They pass requests to legacy services without translating them. */
export type PassthroughDeps = RouteUpstreamDeps & {
  readonly routes: readonly PassthroughConfig[];
  /** Request headers that are meant for the gateway alone. */
  readonly gatewayHeaders: readonly string[];
  /** Lets a call pass or rejects it: credentials, rate limit, permission. */
  readonly admit: Handler<void>;
  readonly trustsProxies: boolean;
  readonly cors: Cors;
  /** What routes purge by their writes. */
  readonly purges: Pick<Purges, 'purge' | 'forgetHere'>;
  /** Counts the requests that are under way. */
  readonly uses: ReferenceCount;
  /** Keeps the upstream of a route across a change of configuration that leaves the route as it was. */
  readonly parts: Pick<ComponentSet, 'acquire'>;
};

/**
 * Creates the pass-through routes. A message passes with its method, path, query, body and plain headers. In both directions,
 * the gateway decides on headers about the connection, credentials and addresses. Statuses pass as they are; but if the
 * upstream refuses the gateway's own credential, the caller gets an error of the gateway.
 */
export function createPassthrough(deps: PassthroughDeps): readonly Route<Endpoint>[] {
  const { clock, log, metrics, send } = deps;
  return deps.routes.map((config) => {
    const upstream = deps.parts.acquire(makeRouteUpstream, config, { clock, log, metrics, send });
    return { path: config.path, subpaths: config.subpaths, target: createEndpoint(config, upstream, deps) };
  });
}

function makeRouteUpstream(...from: Parameters<typeof createRouteUpstream>): MadeComponent<RouteUpstream> {
  const value = createRouteUpstream(...from);
  return { value, close: value.close };
}

function createEndpoint(
  config: PassthroughConfig,
  upstream: RouteUpstream,
  { clock, log, admit, trustsProxies, cors, uses, gatewayHeaders, purges }: PassthroughDeps,
): Endpoint {
  const operation = `passthrough.${config.name}`;
  const purge = compilePurge(config, { purges, log });
  const proxyRequest = compileProxyRequest(config, { cors, gatewayHeaders, trustsProxies, purge });

  /** Opens the call of a request; its deadline runs until the response has closed. */
  function openCall({ req, context, target, progress }: ProxyContext): OpenCall {
    const detail = 'the request did not come within the deadline';
    const call = new OpenCall(context, requestFacts(req, context, { target, trustsProxies }), {
      operation,
      permission: config.permission,
      lateClient: () => (isWaitingForClient(progress, req) ? fault('bad_request', { detail }) : undefined),
    });
    call.startDeadline(config.deadline);
    uses.enter();
    context.res.once('close', () => {
      uses.leave();
      call.settle();
    });
    return call;
  }

  /** Notes each moment from which the upstream is waited for, and not the client any more. */
  function watchBody({ req, framing, progress }: ProxyContext): void {
    const note = () => void (progress.upstreamWaitSince = clock.monotonic());
    note();
    if (framing.kind === 'none') return;
    req.once('end', note);
    // The upstream takes no more for now.
    req.on('pause', note);
  }

  function pass(proxied: ProxyContext): void {
    const call = openCall(proxied);
    const refuse = (thrown: unknown) => {
      call.settle();
      proxied.context.fail(thrown);
    };
    const forward = () => {
      if (call.signal.aborted) return;
      watchBody(proxied);
      upstream.forward(proxyRequest(proxied, call)).catch(refuse);
    };
    try {
      const admission = admit(call);
      if (admission instanceof Promise) admission.then(forward).catch(refuse);
      else forward();
    } catch (thrown) {
      refuse(thrown);
    }
  }

  return {
    operation,
    route: config.path,
    methods: config.methods,
    serve(req: Request, context: RequestContext, target: RequestTarget) {
      const framing = framingOf(req, context.head, config.bodyMax);
      if (!isForwardable(target.path)) throw fault('bad_request', { detail: 'path' });
      if (typeof framing === 'string') throw fault('bad_request', { detail: framing });
      const progress = { call: undefined, hasResponse: false, upstreamWaitSince: 0 };
      pass({ req, context, target, framing, progress });
    },
  };
}
