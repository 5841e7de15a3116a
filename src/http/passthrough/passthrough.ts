import type { Stream } from 'node:stream';
import type { Request } from 'express';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import { fault } from '../../errors/fault.ts';
import type { Call, Handler } from '../../policy/call.ts';
import { clientHost, clientProtocol } from '../listener/client-address.ts';
import type { Endpoint, Match } from '../listener/endpoint.ts';
import type { RequestContext } from '../listener/request-context.ts';
import { factsOf, openCall } from '../operation.ts';
import { addFraming, type Framing, framingOf, limitedBody, noBody } from './body.ts';
import { forwardedHeaders, type HeaderLines } from './headers.ts';
import { isWaitingForClient, type ProxyRequest, type ProxyProgress } from './proxy-request.ts';
import { compileForwardRule } from './header-rules.ts';
import { isForwardable, isUnder, type PathMap, upstreamPath } from './path.ts';
import { createProxy } from './proxy.ts';
import { createRouteUpstream, type RouteUpstream, type RouteUpstreamDeps } from './route-upstream.ts';
import type { RequestTarget } from '../listener/request-head.ts';

/** The routes to legacy services that pass untranslated. */
export type PassthroughDeps = {
  readonly routes: readonly PassthroughConfig[];
  /** Lets a call pass or rejects it: credentials, rate limit, permission. */
  readonly admit: Handler<void>;
  /** Told of what becomes of the upstreams; absent: nobody is. */
  readonly metrics?: RouteUpstreamDeps['metrics'];
};

const nobody: RouteUpstreamDeps['metrics'] = {
  breakerState: () => undefined,
  sourceEvent: () => undefined,
  hostEvent: () => undefined,
  upstreamCall: () => undefined,
};

/** Finds the route of a raw path; `close` ends the idle upstream connections. */
export type Passthrough = {
  readonly find: (path: string) => Match | undefined;
  readonly close: () => void;
};

type Route = {
  readonly config: PassthroughConfig;
  readonly map: PathMap;
  readonly upstream: RouteUpstream;
  /** The name under which a caller's header line goes on. */
  readonly nameOf: (line: string) => string | undefined;
  /** The headers that the gateway brings, by lower-case name: the credential of the upstream. */
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Makes the pass-through routes. What passes is the message: its method, path, query, body and plain headers. What
 * belongs to the connection, to credentials or to addresses is ours to say, in both directions. Statuses pass as
 * they are, except that a refused credential of our own is the gateway's fault and not the caller's.
 */
export function createPassthrough(
  deps: PassthroughDeps & Pick<RouteUpstreamDeps, 'clock' | 'log'> & { trustsProxies: boolean },
): Passthrough {
  const { clock, log, metrics = nobody } = deps;
  const send = createProxy(clock);
  const routes = deps.routes.map((route) => compileRoute(route, { clock, log, metrics, send }));
  const endpoints = routes.map((route) => ({ route, endpoint: endpointOf(route) }));
  // The longest path first, so that a route below another one is reached.
  endpoints.sort((a, b) => b.route.config.path.length - a.route.config.path.length);

  function endpointOf(route: Route): Endpoint {
    const { config } = route;
    return {
      operation: `passthrough.${config.name}`,
      methods: config.methods,
      serve(req, context, target) {
        const framing = framingOf(req, config.bodyMax);
        if (!isForwardable(target.path)) throw fault('bad_request', { detail: 'path' });
        if (typeof framing === 'string') throw fault('bad_request', { detail: framing });
        const progress = { call: undefined, hasResponse: false, upstreamWaitSince: 0 };
        pass(route, { req, context, target, framing, progress });
      },
    };
  }

  function pass(route: Route, proxied: ProxyContext) {
    const { req, context, target, progress } = proxied;
    const { name, permission, deadline } = route.config;
    const request = factsOf(req, context, { target, rawId: undefined, trustsProxies: deps.trustsProxies });
    const detail = 'the request did not come within the deadline';
    const lateness = () => (isWaitingForClient(progress, req) ? fault('bad_request', { detail }) : undefined);
    const spec = { operation: `passthrough.${name}`, permission, lateness };
    const { call, signal } = openCall(context, request, spec);
    signal.start(deadline);
    context.res.once('close', () => signal.settle());
    const refuse = (thrown: unknown) => {
      signal.settle();
      context.fail(thrown);
    };
    const depart = () => {
      if (call.signal.aborted) return;
      watchBody(proxied);
      route.upstream.forward(proxyRequestOf(route, proxied, call)).catch(refuse);
    };
    try {
      const admission = deps.admit(call);
      if (admission instanceof Promise) admission.then(depart).catch(refuse);
      else depart();
    } catch (thrown) {
      refuse(thrown);
    }
  }

  /** Takes note of the moments in which the client has done its part for now. */
  function watchBody({ req, framing, progress }: ProxyContext) {
    const now = () => void (progress.upstreamWaitSince = clock.monotonic());
    now();
    if (framing.kind === 'none') return;
    req.once('end', now);
    // The upstream takes no more.
    req.on('pause', now);
  }

  return {
    find(path) {
      const found = endpoints.find(({ route: { config } }) =>
        config.subpaths ? isUnder(config.path, path) : path === config.path || path === `${config.path}/`,
      );
      return found === undefined ? undefined : { endpoint: found.endpoint, rawId: undefined };
    },
    close() {
      for (const { upstream } of routes) upstream.close();
    },
  };
}

function compileRoute(config: PassthroughConfig, deps: RouteUpstreamDeps): Route {
  const { pathname } = new URL(config.upstream);
  const headers = Object.entries(config.headers);
  return {
    config,
    map: { path: config.path, basePath: pathname.replace(/(?<!\/)\/+$/, ''), stripPath: config.stripPath },
    upstream: createRouteUpstream(config, deps),
    nameOf: compileForwardRule(config.callerHeaders),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value.reveal()])),
  };
}

type ProxyContext = {
  req: Request;
  context: RequestContext;
  target: RequestTarget;
  framing: Framing;
  progress: ProxyProgress;
};

/** Everything the proxy needs to know of one request on its way to the upstream. */
function proxyRequestOf(route: Route, proxied: ProxyContext, call: Call): ProxyRequest {
  const { req, context, target, framing, progress } = proxied;
  const { config, map } = route;
  const path = upstreamPath(map, target.path) + (target.query === '' ? '' : `?${target.query}`);
  const host = clientHost(req);
  return {
    req,
    context,
    signal: call.signal,
    path,
    headers: headersOf(route, proxied, { host, address: call.request.address }),
    body: bodyOf(proxied, config.bodyMax),
    // A request without a body, asked twice by a safe method, is the same as asked once.
    isRepeatable: framing.kind === 'none' && (req.method === 'GET' || req.method === 'HEAD'),
    map,
    host,
    isPrivate: config.permission !== null,
    progress: progress,
  };
}

/** All header lines for the upstream, but `host`. */
function headersOf(
  { nameOf, headers: ours }: Route,
  { req, context, framing }: ProxyContext,
  { host, address }: { host: string | undefined; address: string },
): HeaderLines {
  const headers = forwardedHeaders(req, nameOf);
  addFraming(headers, framing, req.method);
  headers['x-forwarded-for'] = address;
  headers['x-forwarded-proto'] = clientProtocol(req);
  if (host !== undefined) headers['x-forwarded-host'] = host;
  headers['x-request-id'] = context.requestId;
  return Object.assign(headers, ours);
}

/** The body to send where it is not the request itself, whose length, if it was told, was looked at before. */
function bodyOf({ req, context, framing }: ProxyContext, bodyBytesMax: number): Stream | undefined {
  if (framing.kind !== 'chunked') return framing.kind === 'none' ? noBody : undefined;
  return limitedBody(req, bodyBytesMax, () => {
    const error = fault('bad_request', { detail: 'body too long' });
    context.fail(error);
    context.work?.abort(error);
  });
}
