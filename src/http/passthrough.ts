import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Request } from 'express';
import type { PassthroughConfig } from '../config/gateway-schema.ts';
import { fault } from '../errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Call, Handler } from '../policy/call.ts';
import { clientHost, clientProtocol } from './client-address.ts';
import type { Endpoint, Match } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { factsOf, openCall } from './operation.ts';
import { type Framing, framingHeaders, framingOf, limitedBody, noBody } from './passthrough-body.ts';
import { forwardedHeaders } from './passthrough-headers.ts';
import { isForwardable, isUnder, upstreamPath } from './passthrough-path.ts';
import { createProxy, type Journey } from './passthrough-proxy.ts';
import type { Target } from './request-head.ts';

/** The routes to legacy services that pass untranslated. */
export type PassthroughDeps = {
  readonly routes: readonly PassthroughConfig[];
  /** Lets a call pass or rejects it: credentials, rate limit, permission. */
  readonly admit: Handler<void>;
};

/** Finds the route of a raw path; `close` ends the idle upstream connections. */
export type Passthrough = {
  readonly find: (path: string) => Match | undefined;
  readonly close: () => void;
};

/** Connections a route may hold open to its upstream, and of those, how many idle. */
const SOCKETS_MAX = 128;
const IDLE_SOCKETS_MAX = 32;

type Route = {
  readonly config: PassthroughConfig;
  readonly upstream: URL;
  /** The path of `upstream`, without a slash at its end. */
  readonly basePath: string;
  readonly agent: HttpAgent;
};

/**
 * Makes the pass-through routes. What passes is the message: its method, path, query, body and plain headers. What
 * belongs to the connection, to credentials or to addresses is ours to say, in both directions. Statuses pass as
 * they are, except that a refused credential of our own is the gateway's fault and not the caller's.
 */
export function createPassthrough(
  deps: PassthroughDeps & { clock: Clock; trustsProxies: boolean },
): Passthrough {
  const forward = createProxy(deps.clock);
  const routes = deps.routes.map(compileRoute);
  const endpoints = routes.map((route) => ({ route, endpoint: endpointOf(route) }));
  // The longest path first, so that a route below another one is reached.
  endpoints.sort((a, b) => b.route.config.path.length - a.route.config.path.length);

  function endpointOf(route: Route): Endpoint {
    const { config } = route;
    return {
      operation: `passthrough.${config.name}`,
      methods: config.methods,
      serve(req, exchange, target) {
        const framing = framingOf(req, config.bodyMax);
        if (!isForwardable(target.path)) throw fault('bad_request', { detail: 'path' });
        if (typeof framing === 'string') throw fault('bad_request', { detail: framing });
        void pass(route, { req, exchange, target, framing });
      },
    };
  }

  async function pass(route: Route, passenger: Passenger) {
    const { req, exchange, target } = passenger;
    const { name, permission, deadline } = route.config;
    const request = factsOf(req, exchange, { target, rawId: undefined, trustsProxies: deps.trustsProxies });
    const spec = { operation: `passthrough.${name}`, permission, deadlineMs: deadline };
    const { call, signal } = openCall(exchange, request, spec);
    signal.start();
    exchange.res.once('close', () => signal.settle());
    try {
      await deps.admit(call);
      if (!call.signal.aborted) forward(journeyOf(route, passenger, call));
    } catch (thrown) {
      signal.settle();
      exchange.fail(thrown);
    }
  }

  return {
    find(path) {
      const found = endpoints.find(({ route: { config } }) =>
        config.subpaths ? isUnder(config.path, path) : path === config.path || path === `${config.path}/`,
      );
      return found === undefined ? undefined : { endpoint: found.endpoint, rawId: undefined };
    },
    close() {
      for (const { agent } of routes) agent.destroy();
    },
  };
}

function compileRoute(config: PassthroughConfig): Route {
  const upstream = new URL(config.upstream);
  const Agent = upstream.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, maxFreeSockets: IDLE_SOCKETS_MAX });
  return { config, upstream, basePath: upstream.pathname.replace(/\/+$/, ''), agent };
}

type Passenger = { req: Request; exchange: Exchange; target: Target; framing: Framing };

/** Everything the proxy needs to know of one request on its way to the upstream. */
function journeyOf(route: Route, { req, exchange, target, framing }: Passenger, call: Call): Journey {
  const { config, upstream, basePath } = route;
  const map = { path: config.path, basePath, stripPath: config.stripPath };
  const query = target.query === '' ? '' : `?${target.query}`;
  const path = upstreamPath(map, target.path) + query;
  const host = clientHost(req);
  const tooLong = () => {
    const error = fault('bad_request', { detail: 'body too long' });
    exchange.fail(error);
    exchange.work?.abort(error);
  };
  return {
    req,
    exchange,
    signal: call.signal,
    origin: upstream.origin,
    agent: route.agent,
    path,
    headers: {
      ...forwardedHeaders(req.rawHeaders),
      ...framingHeaders(framing, req.method),
      host: upstream.host,
      'x-forwarded-for': call.request.address,
      'x-forwarded-proto': clientProtocol(req),
      ...(host === undefined ? {} : { 'x-forwarded-host': host }),
      'x-request-id': exchange.requestId,
      ...credentialHeaders(config),
    },
    body: () => (framing.kind === 'none' ? noBody() : limitedBody(req, config.bodyMax, tooLong)),
    // A request without a body, asked twice by a safe method, is the same as asked once.
    repeatable: framing.kind === 'none' && (req.method === 'GET' || req.method === 'HEAD'),
    passage: { map, upstreamUrl: new URL(path, upstream), host },
    privately: config.permission !== null,
  };
}

function credentialHeaders(config: PassthroughConfig): Record<string, string> {
  const headers = Object.entries(config.headers);
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value.reveal()]));
}
