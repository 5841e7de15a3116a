import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { ServerStatus } from '../../errors/body.ts';
import { fault, type GatewayError } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ServedOperation } from '../../pipeline/create-operations.ts';
import { createDocumentEncodings, type OnCompressed } from '../../store/cache/encoded-bodies.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import {
  createPassthrough,
  type PassthroughDeps,
  type PassthroughMetrics,
} from '../passthrough/passthrough.ts';
import type { Representable } from '../representation.ts';
import { createResponder } from '../responder.ts';
import { allowedMethods, compileRoutes, type Endpoint, READ_METHODS, type Route } from '../routes.ts';
import { createLoadShedder, type SheddingMetrics } from '../shedding/load-shedder.ts';
import { createAccessLog } from './access-log.ts';
import { createCors } from './cors.ts';
import { createMessageClasses, type MessageClasses } from './express-prototypes.ts';
import { createOpenContext, type RequestMetrics } from './open-context.ts';
import { contextOf } from './request-context.ts';
import { findProblem, normaliseTarget, parseRequestTarget } from './request-head.ts';
import { createRequestTraces } from './request-traces.ts';

/** What the public listener is put together from. */
export type AppDeps = {
  readonly operations: readonly ServedOperation[];
  /** The OpenAPI description, served at `/v1/openapi.json`. */
  readonly openapi: Buffer;
  readonly passthrough: Pick<PassthroughDeps, 'routes' | 'admit'>;
  readonly trustProxy: GatewayConfig['listen']['trustProxy'];
  readonly serverStatus: ServerStatus;
  readonly cors?: GatewayConfig['cors'];
  /** Absent: off. */
  readonly compression?: GatewayConfig['cache']['compression'];
  readonly overload: GatewayConfig['overload'];
  readonly log: Logger;
  readonly clock: Clock;
  /** Absent: no spans are recorded. */
  readonly tracing?: Tracing | undefined;
  readonly metrics: RequestMetrics &
    SheddingMetrics &
    PassthroughMetrics & { readonly compressed: OnCompressed };
};

/** The public listener, for `createServer`. */
export type App = {
  readonly listener: RequestListener;
  readonly messageClasses: MessageClasses;
  /** The error for a request with an unknown method, by its target. */
  readonly refuseMethod: (target: string) => GatewayError;
  /** Sheds no more load, before the listener closes. */
  readonly stopShedding: () => void;
  /** Ends the idle connections to pass-through upstreams. */
  close(): void;
};

/** What `OPTIONS *` asks about: the server as a whole (RFC 9110, section 9.3.7). */
const WHOLE_SERVER = { path: '*', query: '' };
const wholeServer: Endpoint = {
  operation: 'none',
  route: '*',
  methods: READ_METHODS,
  serve: () => undefined,
};

/** A document that is served until the process ends. */
function documentOf(body: Buffer, onCompressed: OnCompressed): Representable {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, etag, encodings: createDocumentEncodings(body, etag, onCompressed) };
}

/** Makes the public listener. Express carries it; `serve` decides what becomes of a request. */
export function createApp(deps: AppDeps): App {
  const { clock, log, metrics, trustProxy } = deps;
  const trustsProxies = trustProxy !== false;
  const shedder = createLoadShedder({ limits: deps.overload, clock, log, metrics });
  const cors = createCors(deps.cors);
  const responder = createResponder({ ...deps, cors, shedder });
  const traces = createRequestTraces({ clock, tracing: deps.tracing, random: Math.random });
  const accessLog = createAccessLog(log, clock, traces);
  const openContext = createOpenContext({ responder, shedder, traces, accessLog, clock, metrics });
  const passthrough = createPassthrough({ ...deps.passthrough, clock, log, metrics, trustsProxies, cors });
  const openapi = documentOf(deps.openapi, metrics.compressed);
  const findRoute = compileRoutes<Endpoint>([
    ...deps.operations.map((served): Route<Endpoint> => ({
      path: served.path,
      target: operationEndpoint(served, { responder, trustsProxies }),
    })),
    { path: WHOLE_SERVER.path, target: wholeServer },
    {
      path: '/v1/openapi.json',
      target: {
        operation: 'openapi',
        route: '/v1/openapi.json',
        methods: READ_METHODS,
        serve: (_req, context) => responder.sendDocument(context, openapi),
      },
    },
    ...passthrough.routes,
  ]);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.set('trust proxy', trustProxy);
  app.use(serve);
  const messageClasses = createMessageClasses(app);

  /** Decides what becomes of a request: route, then method. The pipeline checks the caller afterwards. */
  function serve(req: Request, res: Response) {
    const context = contextOf(res);
    const problem = findProblem(req, context.head, context.target);
    if (problem !== undefined) throw fault('bad_request', { detail: problem });
    const isWholeServer = context.target === '*' && req.method === 'OPTIONS';
    const target = isWholeServer ? WHOLE_SERVER : parseRequestTarget(context.target);
    if (target === undefined) throw fault('bad_request', { detail: 'form of the request target' });
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
      const match = target && findRoute(target.path);
      return match === undefined ? fault('not_found') : methodNotAllowed(match.target);
    },
    listener(req, res) {
      const context = openContext(req, res);
      if (!shedder.admits(context)) return;
      if (!context.target.startsWith('/')) normaliseTarget(req, context.target);
      // Express' own last handler answers in HTML; with this one it is not used.
      const last: NextFunction = (thrown?: unknown) => context.fail(thrown ?? fault('not_found'));
      app(req as Request, res as Response, last);
    },
    stopShedding: shedder.stop,
    close: passthrough.close,
  };
}

function methodNotAllowed(endpoint: Endpoint): GatewayError {
  return fault('method_not_allowed', { headers: { Allow: allowedMethods(endpoint) } });
}
