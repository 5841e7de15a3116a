// The public listener: takes each request from the server to its endpoint, by the configuration in force.

import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { fault, type GatewayError } from '../kernel/errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createHostHandler } from './host-handler.ts';
import { createProxy } from './passthrough/proxy.ts';
import { allowedMethods, type Endpoint } from './listener/routes.ts';
import { type AccessLogDeps, createAccessLog } from './listener/access-log.ts';
import { createOpenContext, type RequestMetrics } from './listener/open-context.ts';
import { contextOf, type RequestContext } from './listener/request-context.ts';
import {
  findProblem,
  normaliseTarget,
  parseRequestTarget,
  type RequestTarget,
} from './listener/request-head.ts';
import { createRequestTraces } from './listener/open-traces.ts';
import { createRouting, type Routing, type RoutingDeps, type RoutingSpec, WHOLE_SERVER } from './routing.ts';

/** The classes of a server's requests and responses. */
type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/** What the public listener needs. It is the same for the life of the process; configurations come by `serveBy`. */
export type AppDeps = {
  readonly log: Logger;
  readonly clock: Clock;
  /** Absent: no spans are recorded. */
  readonly tracing?: Tracing | undefined;
  /** Keeps the requests that failed or were slow. */
  readonly recent: AccessLogDeps['recent'];
  readonly callers: AccessLogDeps['callers'];
  readonly onAnswered?: AccessLogDeps['onAnswered'];
  readonly metrics: RequestMetrics & RoutingDeps['metrics'];
};

/** The public listener, for `createServer`. */
export type App = ReturnType<typeof createApp>;

/**
 * Makes classes for Node's server options, so that requests and responses have Express' prototypes from the start. Otherwise
 * Express changes the prototype of each of them, which makes them slow in V8: it takes 5 to 7 of 75 µs per request.
 */
function createMessageClasses(app: Express): MessageClasses {
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(GatewayRequest.prototype, app.request);
  Object.setPrototypeOf(GatewayResponse.prototype, app.response);
  // Express sets these prototypes. They are now the ones that the objects have already.
  app.request = GatewayRequest.prototype as Request;
  app.response = GatewayResponse.prototype as Response;
  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse };
}

/** Checks the route and the method of a request, and calls its endpoint. The pipeline then checks the caller. */
function answer(context: RequestContext, target: RequestTarget | undefined, routing: Routing): void {
  const { req } = context;
  const { method = '' } = req;
  const problem = findProblem(req, context.head, context.target);
  if (problem !== undefined) throw fault('bad_request', { detail: problem });
  if (target === undefined) throw fault('bad_request', { detail: 'form of the request target' });
  const match = routing.findRoute(target.path);
  if (match === undefined) throw fault('not_found');
  const { target: endpoint, rawId } = match;
  context.operation = endpoint.operation;
  context.route = endpoint.route;
  if (method === 'OPTIONS') routing.responder.sendOptions(context, endpoint);
  else if (endpoint.methods.includes(method)) {
    routing.shedder.enter(context);
    endpoint.serve(req, context, target, rawId);
  } else throw methodNotAllowed(endpoint);
}

/**
 * Makes the public listener on Express. `serve` finds the endpoint of a request. `serveBy` has to be called before the first
 * request.
 */
export function createApp(deps: AppDeps) {
  const { clock, log, metrics } = deps;
  /** The configuration in force. For one request, it is read twice without a wait in between, so it is the same. */
  let current: Routing | undefined;
  const traces = createRequestTraces({ clock, tracing: deps.tracing, random: Math.random });
  const accessLog = createAccessLog({ ...deps, traces });
  const openContext = createOpenContext({ traces, accessLog, clock, metrics });
  // All routes of all configurations share one proxy, because each proxy adds a listener to the server.
  const send = createProxy(clock);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.use(serve);
  const messageClasses = createMessageClasses(app);

  function routingInForce(): Routing {
    if (current === undefined) throw new Error('the listener has no configuration yet');
    return current;
  }

  function serve(req: Request, res: Response) {
    const context = contextOf(res);
    const isWholeServer = context.target === '*' && req.method === 'OPTIONS';
    answer(context, isWholeServer ? WHOLE_SERVER : parseRequestTarget(context.target), routingInForce());
  }

  return {
    messageClasses,
    /** The error for a request with a method that Node does not know: 405, or 404 if the target has no endpoint. */
    refuseMethod: (text: string): GatewayError => {
      const target = parseRequestTarget(text);
      const match = target && routingInForce().findRoute(target.path);
      return match === undefined ? fault('not_found') : methodNotAllowed(match.target);
    },
    listener: (req: IncomingMessage, res: ServerResponse): void => {
      const routing = routingInForce();
      const context = openContext(req, res, routing);
      if (!routing.shedder.admits(context)) return;
      if (!context.target.startsWith('/')) normaliseTarget(req, context.target);
      // Without this handler, Express would answer errors in HTML.
      const last: NextFunction = (thrown?: unknown) => context.fail(thrown ?? fault('not_found'));
      app(req as Request, res as Response, last);
    },
    ...createHostHandler({ app, openContext, routing: routingInForce, answer }),
    /** Compiles the routes of a configuration. They are not used before `serveBy`. */
    route: (spec: RoutingSpec, parts: Pick<RoutingDeps, 'uses' | 'parts'>): Routing =>
      createRouting(spec, { ...parts, send, clock, log, metrics }),
    /** Uses a configuration for new requests. Running requests end with the configuration that they began with. */
    serveBy: (routing: Routing): void => {
      current = routing;
      // Express reads this setting when the caller's address is asked for, which is before a request can wait.
      app.set('trust proxy', routing.trustProxy);
    },
    /** Stops load shedding before the listener closes. */
    stopShedding: () => current?.shedder.stop(),
  };
}

function methodNotAllowed(endpoint: Endpoint): GatewayError {
  return fault('method_not_allowed', { headers: { Allow: allowedMethods(endpoint) } });
}
