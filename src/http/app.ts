import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { fault, type GatewayError } from '../kernel/errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createProxy } from './passthrough/proxy.ts';
import { allowedMethods, type Endpoint } from './listener/routes.ts';
import { type AccessLogDeps, createAccessLog } from './listener/access-log.ts';
import { createOpenContext, type RequestMetrics } from './listener/open-context.ts';
import { contextOf } from './listener/request-context.ts';
import { findProblem, normaliseTarget, parseRequestTarget } from './listener/request-head.ts';
import { createRequestTraces } from './listener/open-traces.ts';
import { createRouting, type Routing, type RoutingDeps, type RoutingSpec, WHOLE_SERVER } from './routing.ts';

/** The classes of a server's requests and responses. */
type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/** What the public listener is put together from, for the life of the process. */
export type AppDeps = {
  readonly log: Logger;
  readonly clock: Clock;
  /** Absent: no spans are recorded. */
  readonly tracing?: Tracing | undefined;
  /** Keeps the requests that failed or were slow. */
  readonly recent: AccessLogDeps['recent'];
  readonly callers: AccessLogDeps['callers'];
  readonly metrics: RequestMetrics & RoutingDeps['metrics'];
};

/** The public listener, for `createServer`. */
export type App = {
  readonly listener: RequestListener;
  readonly messageClasses: MessageClasses;
  /** The error for a request with an unknown method, by its target. */
  readonly refuseMethod: (target: string) => GatewayError;
  /** Compiles the routes of a configuration; nothing is served by it before `serveBy`. */
  readonly route: (spec: RoutingSpec, deps: Pick<RoutingDeps, 'uses' | 'parts'>) => Routing;
  /** Serves new requests by this configuration from now on. Requests under way end with the one that they began with. */
  readonly serveBy: (routing: Routing) => void;
  /** Stops load shedding before the listener closes. */
  readonly stopShedding: () => void;
};

/**
 * Makes the classes of Node's server options whose objects have Express' prototypes from the start. Otherwise Express
 * changes the prototype of every request and response, and V8 takes both objects apart for that: 5 to 7 µs of 75.
 */
function createMessageClasses(app: Express): MessageClasses {
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(GatewayRequest.prototype, app.request);
  Object.setPrototypeOf(GatewayResponse.prototype, app.response);
  // The prototypes that Express sets are now there already.
  app.request = GatewayRequest.prototype as Request;
  app.response = GatewayResponse.prototype as Response;
  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse };
}

/**
 * Makes the public listener. Express carries it; `serve` decides what becomes of a request. It serves nothing before
 * `serveBy` was called.
 */
export function createApp(deps: AppDeps): App {
  const { clock, log, metrics } = deps;
  /** The configuration in force. Nothing waits between the two places that read it for one request. */
  let current: Routing | undefined;
  const traces = createRequestTraces({ clock, tracing: deps.tracing, random: Math.random });
  const accessLog = createAccessLog({ log, clock, traces, recent: deps.recent, callers: deps.callers });
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

  /** Decides what becomes of a request: route, then method. The pipeline checks the caller afterwards. */
  function serve(req: Request, res: Response) {
    const context = contextOf(res);
    const problem = findProblem(req, context.head, context.target);
    if (problem !== undefined) throw fault('bad_request', { detail: problem });
    const isWholeServer = context.target === '*' && req.method === 'OPTIONS';
    const target = isWholeServer ? WHOLE_SERVER : parseRequestTarget(context.target);
    if (target === undefined) throw fault('bad_request', { detail: 'form of the request target' });
    const { findRoute, responder, shedder } = routingInForce();
    const match = findRoute(target.path);
    if (match === undefined) throw fault('not_found');
    const { target: endpoint, rawId } = match;
    context.operation = endpoint.operation;
    context.route = endpoint.route;
    if (req.method === 'OPTIONS') responder.sendOptions(context, endpoint);
    else if (endpoint.methods.includes(req.method)) {
      shedder.enter(context);
      endpoint.serve(req, context, target, rawId);
    } else throw methodNotAllowed(endpoint);
  }

  return {
    messageClasses,
    refuseMethod(text) {
      const target = parseRequestTarget(text);
      const match = target && routingInForce().findRoute(target.path);
      return match === undefined ? fault('not_found') : methodNotAllowed(match.target);
    },
    listener(req, res) {
      const routing = routingInForce();
      const context = openContext(req, res, routing);
      if (!routing.shedder.admits(context)) return;
      if (!context.target.startsWith('/')) normaliseTarget(req, context.target);
      // Express' own last handler answers in HTML; with this one it is not used.
      const last: NextFunction = (thrown?: unknown) => context.fail(thrown ?? fault('not_found'));
      app(req as Request, res as Response, last);
    },
    route: (spec, parts) => createRouting(spec, { ...parts, send, clock, log, metrics }),
    serveBy(routing) {
      current = routing;
      // Express reads it when the address of a caller is asked for, which is right after a request has come.
      app.set('trust proxy', routing.trustProxy);
    },
    stopShedding: () => current?.shedder.stop(),
  };
}

function methodNotAllowed(endpoint: Endpoint): GatewayError {
  return fault('method_not_allowed', { headers: { Allow: allowedMethods(endpoint) } });
}
