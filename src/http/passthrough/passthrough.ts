// The pass-through routes: they send requests to other services without translating them.

import type { IncomingMessage } from 'node:http';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import { fault } from '../../kernel/errors/fault.ts';
import type { ComponentSet, MadeComponent } from '../../kernel/shared-components.ts';
import type { Handler } from '../../pipeline/stages/call.ts';
import type { Purges } from '../../store/cache/purges.ts';
import type { Cors } from '../listener/cors.ts';
import type { RequestContext } from '../listener/request-context.ts';
import type { RequestTarget } from '../listener/request-head.ts';
import { OpenCall, requestParts } from '../listener/open-call.ts';
import type { Endpoint, Route } from '../listener/routes.ts';
import { framingOf } from './body.ts';
import { isForwardable } from './path.ts';
import { compileProxyRequest, isWaitingForClient, type ProxyContext } from './proxy-request.ts';
import { compilePurge } from './purge-after-write.ts';
import { createRouteUpstream, type RouteUpstream, type RouteUpstreamDeps } from './route-upstream.ts';

/** What the operator has to change if a parser of the host comes before the gateway. */
const BODY_TAKEN =
  'the host has read the body already: mount the handler before express.json() and other body parsers';

/** What the pass-through routes need. */
export type PassthroughDeps = RouteUpstreamDeps & {
  readonly routes: readonly PassthroughConfig[];
  /** Request headers that are only for the gateway and never forwarded. */
  readonly gatewayHeaders: readonly string[];
  /** Checks a call: credential, rate limit, permission. It rejects if the call may not pass. */
  readonly admit: Handler<void>;
  readonly trustsProxies: boolean;
  readonly cors: Cors;
  /** Purges the resources that a write of a route changes. */
  readonly purges: Pick<Purges, 'purge' | 'forgetHere'>;
  /** Counts the running requests of this configuration. */
  readonly uses: { enter(): void; leave(): void };
  /** Keeps the upstream of a route after a reload that did not change the route. */
  readonly parts: Pick<ComponentSet, 'acquire'>;
};

/**
 * Creates the pass-through routes. Method, path, query, body and most headers pass unchanged. In both directions, the gateway
 * itself decides on headers about the connection, credentials and addresses. Statuses pass unchanged, except that the caller
 * gets an error of the gateway if the upstream refuses the gateway's own credential.
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

  /** Opens the call of a request. Its deadline runs until the response has closed. */
  function openCall({ req, context, target, progress }: ProxyContext): OpenCall {
    const detail = 'the request did not come within the deadline';
    const call = new OpenCall(context, requestParts(context, { target, trustsProxies }), {
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

  /** Notes each time from which Portico waits for the upstream and no longer for the client. */
  function watchBody({ req, framing, progress }: ProxyContext): void {
    const note = () => void (progress.upstreamWaitSince = clock.monotonic());
    note();
    if (framing.kind === 'none') return;
    req.once('end', note);
    // The body pauses because the upstream reads too slowly.
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
    serve(req: IncomingMessage, context: RequestContext, target: RequestTarget) {
      const framing = framingOf(req, context.head, config.bodyMax);
      if (!isForwardable(target.path)) throw fault('bad_request', { detail: 'path' });
      if (typeof framing === 'string') throw fault('bad_request', { detail: framing });
      // Only a host reads a body before; nothing is left of it to pass on.
      if (framing.kind !== 'none' && req.readableDidRead) throw fault('server_error', { detail: BODY_TAKEN });
      const progress = { call: undefined, hasResponse: false, upstreamWaitSince: 0 };
      pass({ req, context, target, framing, progress });
    },
  };
}
