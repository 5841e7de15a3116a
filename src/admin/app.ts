// The operator's listener, an Express application: liveness, readiness, metrics, the actions and the console.

import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import express, { type ErrorRequestHandler, type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../kernel/clock.ts';
import { createConsoleFiles } from './console/console-files.ts';
import { createConsoleRoute } from './console/serve-console.ts';
import type { Overview } from './api/metric-specs.ts';
import { adminOpenapi } from './api/openapi.ts';
import { type ApiRouterDeps, createApiRouter } from './router.ts';
import type { EventStream } from './event-stream.ts';
import type { AdminToken } from './access/admin-tokens.ts';
import { createGuessLimit } from './access/guess-limit.ts';
import { createAdminGuard, sendProblem } from './access/guard.ts';
import { createSessionRoutes, createSignInRoute } from './access/session-routes.ts';
import { createSessions } from './access/sessions.ts';

/** The state of one dependency of the gateway. */
export type CheckResult = {
  readonly name: string;
  readonly ready: boolean;
  /** Whether the gateway is not ready without it. */
  readonly needed: boolean;
  /** Whether it is needed for the answer to `/readyz?strict`. */
  readonly isStrict?: boolean;
  /** What is wrong, and what to do. A dependency that is ready may have a detail, too. */
  readonly detail?: string;
};

/** What the operator's listener needs. */
export type AdminDeps = ApiRouterDeps & {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly checks: () => readonly CheckResult[] | Promise<readonly CheckResult[]>;
  readonly draining: () => boolean;
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
  readonly events: Pick<EventStream, 'serve'>;
  /** The configuration in force, as far as everybody may know it. */
  readonly config: () => Overview['config'];
  /** The tokens at this moment, for all paths except `/livez` and `/readyz`; none: programs on this machine need none. */
  readonly tokens: () => readonly AdminToken[];
  readonly clock: Clock;
  readonly version: string;
};

/** Headers of every answer; the pages of the console have a policy of their own. No answer is shown in a frame. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Answers whether the gateway takes requests, and which dependency is missing. */
function readiness({ checks, draining, config }: Pick<AdminDeps, 'checks' | 'draining' | 'config'>) {
  return async function answerReadiness(req: Request, res: Response): Promise<void> {
    const found = await checks();
    const results = Object.fromEntries(found.map(({ name, ready }) => [name, ready]));
    const troubled = found.filter(({ detail }) => detail !== undefined);
    const details = Object.fromEntries(troubled.map(({ name, detail }) => [name, detail]));
    const leaving = draining();
    const isStrict = req.originalUrl.endsWith('?strict');
    const isReady =
      !leaving && found.every((one) => one.ready || !(one.needed || (isStrict && one.isStrict === true)));
    res.status(isReady ? 200 : 503).json({
      status: isReady ? 'ready' : 'not ready',
      draining: leaving,
      checks: results,
      ...(troubled.length > 0 && { details }),
      config: config(),
    });
  };
}

/** Answers what went wrong before an action ran. Express recognises an error handler by its four parameters. */
function failure({ log }: Pick<AdminDeps, 'log'>): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const { status, message } = Object(error) as { status?: unknown; message?: unknown };
    // A status below 500 is from the body parser: the body is wrong.
    if (typeof status === 'number' && status < 500) {
      const reason = `the request cannot be read: ${String(message)}`;
      sendProblem(res, {
        code: 'bad_input',
        reason,
        hint: 'send JSON of at most 2 MB to a path of GET /api/openapi.json',
      });
      return;
    }
    // The message may contain anything, so only the log gets it.
    log.warn({ path: req.path, reason: String(message) }, "an operator's request failed");
    sendProblem(res, {
      code: 'failed',
      reason: 'the gateway failed',
      hint: 'the log of the gateway says why',
    });
  };
}

/**
 * Creates the operator's listener: `/livez` and `/readyz` for the platform; `/metrics` and the actions under `/api/` for
 * callers with a token.
 */
export function createAdminApp(deps: AdminDeps): RequestListener {
  const { metrics } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((req: Request, res: Response, next: NextFunction) => {
    res.set(HEADERS);
    // A proxy may have used one of two such headers, and this listener the other (RFC 9112, section 3.2).
    if ((req.headersDistinct['host']?.length ?? 0) <= 1) next();
    else sendProblem(res, { code: 'bad_input', reason: 'two Host headers', hint: 'send one' });
  });

  // Liveness means only that this process answers: a restart would not repair a dependency.
  app.get('/livez', (_req, res) => {
    res.json({ status: 'ok' });
  });

  app.get('/readyz', readiness(deps));

  app.use(createConsoleRoute(createConsoleFiles(), deps.log));

  const shared = { ...deps, guesses: createGuessLimit(deps.clock), sessions: createSessions(deps) };
  app.use(createSignInRoute(shared));
  app.use(createAdminGuard(shared));
  app.use(createSessionRoutes(shared));

  app.get(['/api/metrics', '/metrics'], async (_req, res) => {
    const text = await metrics.text();
    res.set('Content-Type', metrics.contentType).send(text);
  });

  app.get('/api/events', deps.events.serve);

  app.get('/api/openapi.json', (_req, res) => {
    res.json(adminOpenapi());
  });

  app.use(createApiRouter(deps));

  app.use((req: Request, res: Response) => {
    const reason = `${req.method} ${req.path} is no path of the operator's listener`;
    sendProblem(res, { code: 'not_found', reason, hint: 'GET /api/openapi.json names every path' });
  });
  app.use(failure(deps));
  return (req, res) => {
    app(req, res);
  };
}
