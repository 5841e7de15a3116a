import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { ServerStatus } from '../../errors/body.ts';
import { fault, type GatewayError } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createDocumentEncodings, type OnCompressed } from '../../store/cache/content-encodings.ts';
import { createAccessLog } from './access-log.ts';
import { createResponder, type PublicDocument } from '../responder.ts';
import { createCors } from './cors.ts';
import { allowOf, compileRoutes } from './endpoint.ts';
import { contextOf } from './request-context.ts';
import { createMessageClasses, type MessageClasses } from './express-prototypes.ts';
import { createOpenContext, type OnFinish } from './open-context.ts';
import { documentEndpoint, type Operation, operationEndpoint, READ_METHODS } from '../operation.ts';
import { createLoadShedder, type LoadShedderDeps } from '../shedding/load-shedder.ts';
import { createPassthrough, type PassthroughDeps } from '../passthrough/passthrough.ts';
import { findProblem, parseRequestTarget } from './request-head.ts';

/** What `OPTIONS *` asks about: the server as a whole (RFC 9110, section 9.3.7). */
const everything = { path: '*', query: '' };

/** What the public listener is put together from. */
export type AppDeps = {
  readonly operations: readonly Operation[];
  /** The OpenAPI description, served at `/v1/openapi.json`. */
  readonly openapi: Buffer;
  readonly passthrough: PassthroughDeps;
  readonly trustProxy: GatewayConfig['listen']['trustProxy'];
  readonly serverStatus: ServerStatus;
  readonly cors?: GatewayConfig['cors'];
  /** Absent: off. */
  readonly compression?: GatewayConfig['cache']['compression'];
  readonly onCompressed?: OnCompressed;
  readonly overload: GatewayConfig['overload'];
  readonly log: Logger;
  readonly clock: Clock;
  /** Told of every request that begins. */
  readonly onOpen: () => void;
  readonly onFinish: OnFinish;
  /** Told of every request that is refused for overload. */
  readonly onOverload: LoadShedderDeps['onRefused'];
};

/** The public listener, for `createServer`, and the way to let go of its upstream connections. */
export type App = {
  readonly listener: RequestListener;
  readonly messageClasses: MessageClasses;
  /** What a request with a method that nobody knows is refused with, by its target. */
  readonly refuseMethod: (target: string) => GatewayError;
  /** Refuses nobody any more for overload: before the listener is left. */
  readonly listenToAll: () => void;
  close(): void;
};

/** A document that is served until the process ends. */
function documentOf(body: Buffer, onCompressed: OnCompressed = () => undefined): PublicDocument {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, etag, encodings: createDocumentEncodings(body, etag, onCompressed) };
}

/** Makes the public listener. Express carries it; what a request becomes is decided in `serve`. */
export function createApp(deps: AppDeps): App {
  const responder = createResponder({ ...deps, cors: createCors(deps.cors) });
  const logRequest = createAccessLog(deps.log, deps.clock);
  const overload = createLoadShedder({ ...deps, limits: deps.overload, onRefused: deps.onOverload });
  const open = createOpenContext({ ...deps, responder, logRequest, onClose: overload.leave });
  const trustsProxies = deps.trustProxy !== false;
  const passthrough = createPassthrough({
    ...deps.passthrough,
    clock: deps.clock,
    log: deps.log,
    trustsProxies,
  });
  const openapi = documentOf(deps.openapi, deps.onCompressed);
  const find = compileRoutes([
    ...deps.operations.map((operation) => ({
      path: operation.path,
      endpoint: operationEndpoint({ operation, responder, trustsProxies }),
    })),
    { path: everything.path, endpoint: { operation: 'none', methods: READ_METHODS, serve: () => undefined } },
    { path: '/v1/openapi.json', endpoint: documentEndpoint('openapi', openapi, responder) },
  ]);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.set('trust proxy', deps.trustProxy);
  app.use(serve);
  const messageClasses = createMessageClasses(app);

  /** Decides what a request becomes: route, then method; the checks of the caller follow in the pipeline. */
  function serve(req: Request, res: Response) {
    const context = contextOf(res);
    const problem = findProblem(req, context.head, context.target);
    if (problem !== undefined) throw fault('bad_request', { detail: problem });
    const aboutAll = context.target === '*' && req.method === 'OPTIONS';
    const target = aboutAll ? everything : parseRequestTarget(context.target);
    if (target === undefined) throw fault('bad_request', { detail: 'form of the request target' });
    const match = find(target.path) ?? passthrough.find(target.path);
    if (match === undefined) throw fault('not_found');
    const { endpoint, rawId } = match;
    context.operation = endpoint.operation;
    if (req.method === 'OPTIONS') responder.sendOptions(context, endpoint);
    else if (endpoint.methods.includes(req.method)) {
      overload.enter(context);
      endpoint.serve(req, context, target, rawId);
    } else throw fault('method_not_allowed', { headers: { Allow: allowOf(endpoint) } });
  }

  function refuseMethod(text: string): GatewayError {
    const target = parseRequestTarget(text);
    const match = target && (find(target.path) ?? passthrough.find(target.path));
    if (match === undefined) return fault('not_found');
    return fault('method_not_allowed', { headers: { Allow: allowOf(match.endpoint) } });
  }

  return {
    refuseMethod,
    messageClasses,
    listener(req, res) {
      const context = open(req, res);
      if (!overload.admits(context)) return;
      // Express would take other forms of target apart with the deprecated and lenient `url.parse`.
      if (!context.target.startsWith('/')) req.url = '/';
      // Handing Express the last handler keeps its own out, which answers in HTML.
      const last: NextFunction = (thrown?: unknown) => context.fail(thrown ?? fault('not_found'));
      app(req as Request, res as Response, last);
    },
    listenToAll: overload.listenToAll,
    close: passthrough.close,
  };
}
